"""What is computed of a run is computed once, and not before it is asked for."""

from unittest.mock import patch

from raidtui.core.page.markdown import markdown
from raidtui.core.report import context
from raidtui.core.report.markdown import report
from raidtui.core.results.analysis import compare
from tests.builders import handmade

PLAN = handmade.plan()


def test_a_whole_report_compares_once() -> None:
    with patch.object(context, "compare", wraps=compare) as counted:
        run = context.RunContext(PLAN, handmade.state(PLAN))
        assert counted.call_count == 0
        assert markdown(report(run)) == markdown(report(run))
        assert counted.call_count == 1
