"""The command `mapping` as `python -m cuda_mapping`."""

import signal
import sys

from ._library import Error, ask_words


def main() -> int:
    """Runs the words of the command line; the exit status is that of the command."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        status, text, note = ask_words(sys.argv[1:], may_start_tools=True)
    except (Error, ValueError) as error:
        print(f"mapping: {error}", file=sys.stderr)
        return error.status if isinstance(error, Error) else 2
    if note:
        print(f"mapping: {note}", file=sys.stderr)
    try:
        sys.stdout.buffer.write(text)
        sys.stdout.flush()
    except OSError as error:
        print(f"mapping: standard output: {error.strerror}", file=sys.stderr)
        return 5
    return status


if __name__ == "__main__":
    sys.exit(main())
