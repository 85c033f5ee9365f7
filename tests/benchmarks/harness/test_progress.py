import io

from benchmarks.harness.progress import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_the_bar_shows_the_time_left(monkeypatch):
    seconds = iter([0.0, 10.0, 20.0])
    monkeypatch.setattr("benchmarks.harness.progress.clock.monotonic", lambda: next(seconds))
    stream = Terminal()
    progress = Progress(4, stream)
    progress.advance("a paper b 0", "C 0.6", spent=5.0, left=300.0)
    progress.advance("a paper b 1", "ERROR", spent=0.0, left=30.0, failed=True)
    progress.close()
    first, second = stream.getvalue().split("\r")[1:]
    assert "1/4  0:00:10 gone, 0:10:00 left  a paper b 0" in first
    assert "2/4  0:00:20 gone, 0:02:00 left, 1 errors  a paper b 1" in second
    assert second.endswith("\n")


def test_a_line_for_each_cell_without_a_terminal():
    stream = io.StringIO()
    progress = Progress(1, stream)
    progress.advance("a", "C 0.6", spent=1.0, left=0.0)
    progress.close()
    (line,) = stream.getvalue().splitlines()
    assert line.startswith("1/1  a ")
    assert "C 0.6" in line
