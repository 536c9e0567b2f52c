"""The browser of this machine that tests the page. `python -m tests.html_report.browser` installs one if needed."""

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
PACKAGE = "chromium"
MISSING = (
    "The page of a report is tested in a real browser, and this machine has none of "
    f"{', '.join(NAMES)}. Install one (`apt-get install {PACKAGE}`), or name one in CHROMIUM."
)


def chromium() -> str | None:
    """The program's path: what CHROMIUM names, or the first that is installed."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


def has_to_be_there() -> bool:
    """Whether a run of everything has to fail without a browser, and not to leave its tests out."""
    return bool(os.environ.get("CI"))


def install() -> int:
    """Install Debian's package if no browser is there. Returns an exit code."""
    if chromium():
        return 0
    root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    for arguments in (("update", "-q"), ("install", "-q", "-y", "--no-install-recommends", PACKAGE)):
        try:
            subprocess.run([*root, "apt-get", *arguments], check=True, stdout=subprocess.DEVNULL, timeout=300)
        except (OSError, subprocess.SubprocessError) as error:
            print(f"apt-get {arguments[0]}: {error}", file=sys.stderr)
    if chromium():
        return 0
    print(MISSING, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(install())
