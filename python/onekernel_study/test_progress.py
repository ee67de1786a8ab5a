import io

from onekernel_study.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_row_is_named_on_a_terminal_only() -> None:
    terminal, file = Terminal(), io.StringIO()
    for stream in (terminal, file):
        progress = Progress(stream)
        progress.show("round 1 of 3: in_process")
        progress.clear()
    assert "round 1 of 3: in_process" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\x1b[K")
    assert file.getvalue() == ""
