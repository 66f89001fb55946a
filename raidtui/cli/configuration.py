"""The person's configuration: what holds, as a file that explains itself."""

from raidtui.cli.output import Json, print_json


def config(json: Json = False) -> None:
    """Print the configuration file with every key.

    With the values in force and the file's path. Writes nothing.
    """
    from raidtui import configuration
    from raidtui.core.text import visible
    from raidtui.system.new_file import behind_sudo

    person = behind_sudo()
    settings = configuration.read(person[0] if person else None)
    if json:
        print_json("config", settings)
        return
    for line in configuration.template(settings).splitlines():
        print(visible(line))
