"""readme_test.py MAPPING ROOT FILE...: runs the commands in these Markdown files, and compares their output with the
output shown there.

    ```console      A line that begins with "$ " is a command; a backslash at its end continues the command in the next line.
                    The other lines are its whole output; "..." stands for any number of lines. Commands have to succeed.
                    A block whose first line is "# needs a GPU" is skipped.
    ```c mask.c     is a file for the commands after it.
    `./mapping ...` in a sentence or a table has to succeed; its output is not shown. In a table "\\|" is a pipe, and
                    a command with --diff may exit with status 1.

Other blocks, such as ```sh, are not run. All commands of one file run in one folder, in the order of the file, without
a GPU and with no ptxas in $PATH. ./mapping is MAPPING there, ./include, ./results and ./tests are those of ROOT."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
import tap


def environment():
    """The caller's environment without a GPU, toolkits, and variables that change the look of the output."""
    env = {name: value for name, value in os.environ.items()
           if name not in ("CUDA_HOME", "CUDA_PATH", "NO_COLOR", "PAGER", "COLUMNS")}
    folders = env.get("PATH", os.defpath).split(os.pathsep)
    env["PATH"] = os.pathsep.join(folder for folder in folders if not os.path.exists(os.path.join(folder, "ptxas")))
    env["CUDA_VISIBLE_DEVICES"] = ""
    return env


def parts(text):
    """Yields the parts of a Markdown file: ("block", info string, lines) or ("text", "", lines)."""
    lines, info = [], None
    for line in text.split("\n"):
        if info is None and line.startswith("```"):
            yield "text", "", lines
            lines, info = [], line[3:].strip()
        elif info is not None and line == "```":
            yield "block", info, lines
            lines, info = [], None
        else:
            lines.append(line)
    yield "text", "", lines


def commands(lines):
    """Splits a console block into (command, lines of output)."""
    found, goes_on = [], False
    for line in lines:
        if goes_on:
            found[-1][0] += "\n" + line
        elif line.startswith("$ "):
            found.append([line[2:], []])
        else:
            found[-1][1].append(line)
            continue
        goes_on = line.endswith("\\")
    return found


def matches(shown, printed):
    """True if the lines shown are the lines printed, "..." being any number of them."""
    if not shown:
        return not printed
    if shown[0] == "...":
        return any(matches(shown[1:], printed[skipped:]) for skipped in range(len(printed) + 1))
    return bool(printed) and printed[0] == shown[0] and matches(shown[1:], printed[1:])


def stripped(lines):
    """Without empty lines at the end: a block may have one before its next command."""
    lines = list(lines)
    while lines and not lines[-1]:
        lines.pop()
    return lines


def shell(command, folder):
    """Runs the command; returns its status and the lines of its output, standard error included."""
    done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment(), stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False)
    return done.returncode, done.stdout.split("\n")


def check_block(name, lines, folder):
    if lines[0] == "# needs a GPU":
        tap.skip(f"{name}: {commands(lines[1:])[0][0]}", "gpu")
        return
    for command, shown in commands(lines):
        compiler = command.split()[0]
        if compiler in ("cc", "c++") and not shutil.which(compiler):
            tap.skip(f"{name}: {command}", "c++" if "++" in compiler else "cc")
            continue
        status, printed = shell(command, folder)
        shown, printed = stripped(shown), stripped(printed)
        first = command.split("\n")[0]
        why = f"status {status}\n" + "\n".join(printed[:40])
        tap.ok(f"{name}: {first}", status == 0 and matches(shown, printed), why)


def check_text(name, lines, folder):
    text = "\n".join(lines)
    for command in re.findall(r"`(\./mapping [^`]*)`", text):
        command = command.replace("\n", " ").replace("\\|", "|")
        status, printed = shell(command, folder)
        passed = status == 0 or status == 1 and "--diff" in command
        tap.ok(f"{name}: {command}", passed, f"status {status}\n" + "\n".join(printed))


def anchors(text):
    """What GitHub calls the headings of a Markdown file."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^a-z0-9 _-]", "", heading.lower()).replace(" ", "-") for heading in headings}


def leads_somewhere(link, path):
    """True if a relative link leads to a file that is there, and to a heading in it."""
    target, _, heading = link.partition("#")
    target = os.path.join(os.path.dirname(path), target) if target else path
    if not heading or not os.path.exists(target):
        return os.path.exists(target)
    with open(target, encoding="utf-8") as file:
        return heading in anchors(file.read())


def check_links(name, path, text):
    prose = re.sub(r"`[^`]*`", "", re.sub(r"(?ms)^```.*?^```$", "", text))
    links = [link for link in re.findall(r"\]\(([^)]+)\)", prose) if "://" not in link]
    dead = [link for link in links if not leads_somewhere(link, path)]
    tap.ok(f"{name}: links lead to files and headings that are there", links and not dead, "\n".join(dead))


def check_file(mapping, root, path):
    name = os.path.relpath(path, root)
    with open(path, encoding="ascii") as file:
        text = file.read()
    check_links(name, path, text)
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.abspath(mapping), os.path.join(folder, "mapping"))
        for each in ("include", "results", "tests"):
            os.symlink(os.path.join(os.path.abspath(root), each), os.path.join(folder, each))
        for kind, info, lines in parts(text):
            if kind == "text":
                check_text(name, lines, folder)
            elif info == "console":
                check_block(name, lines, folder)
            elif " " in info:
                with open(os.path.join(folder, info.split()[1]), "w", encoding="ascii") as file:
                    file.write("\n".join(lines) + "\n")


for each_path in sys.argv[3:]:
    check_file(sys.argv[1], sys.argv[2], each_path)
sys.exit(tap.finish())
