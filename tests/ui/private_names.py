"""Textual's private names: every one that the screens use, what for, and the version in which it was read."""

from textual._compositor import Compositor
from textual.app import App
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.scroll_view import ScrollView
from textual.widget import Widget

# name -> (its class, the version read, what it is for, what is so without it)
USED: dict[str, tuple[type, str, str, str]] = {
    "_on_screen_resume": (
        Screen,
        "8.2.8",
        "the first layout happens in it: nothing public comes between it and paint",
        "a screen is painted twice when it is opened",
    ),
    "_repaint_required": (
        Widget,
        "8.2.8",
        "a paint that is due, dropped because the first layout has painted all",
        "a screen is painted twice when it is opened",
    ),
    "_refresh_layout": (
        Screen,
        "8.2.8",
        "a layout, after which each resized widget is painted a second time",
        "what is resized is painted twice",
    ),
    "_compositor": (
        Screen,
        "8.2.8",
        "where each widget is, before a layout and after it; what paints them is SparingCompositor",
        "what is resized is painted twice, and every widget is drawn anew for each figure that changes",
    ),
    "_get_renders": (
        Compositor,
        "8.2.8",
        "draws each widget of the window, also those in which nothing is due: half of the live screen's time",
        "all are drawn for each figure that changes",
    ),
    "_dirty_regions": (
        Compositor,
        "8.2.8",
        "what is due, by which SparingCompositor chooses",
        "all are drawn for each figure that changes",
    ),
    "_exchange_repaint_regions": (
        Widget,
        "8.2.8",
        "a widget's regions that are due, forgotten because they are painted",
        "what is resized is painted twice",
    ),
    "_dispatch_message": (
        MessagePump,
        "8.2.8",
        "what was on its way to a screen that was left would find no widgets there, or do all again",
        "it comes there: a second Enter in the palette may be taken by the screen below",
    ),
    "_size_updated": (
        ScrollView,
        "8.2.8",
        "the moment before a new size is painted; on_resize comes after",
        "lines are laid out by on_resize, and painted twice",
    ),
    "_scroll_update": (
        Widget,
        "8.2.8",
        "the scrollbar of a new length of content, without a paint of all of it",
        "all of it is painted",
    ),
    "_check_resize": (
        App,
        "8.2.8",
        "takes the size that came last; the timer that calls it may never come (FaultApp)",
        "a size is taken by Textual's timer alone",
    ),
    "_background_screens": (
        App,
        "8.2.8",
        "below the top one it names another, which is painted with it",
        "both are painted",
    ),
    "_handle_exception": (
        App,
        "8.2.8",
        "where a fault of the program ends; else a traceback fills the terminal",
        "a traceback fills the terminal",
    ),
}
