"""Results of long campaigns, kept in a file: what is there is not run again."""
import json


class KeptResults:
    """Answers by the text of the scenario and what was asked; a line of JSON each. Without a file nothing is kept."""

    def __init__(self, file):
        self.file = file
        lines = file.read_text().splitlines() if file and file.exists() else []
        self.known = dict(map(json.loads, lines))

    def of(self, scenario, asked, compute):
        key = json.dumps([scenario, asked])
        if key not in self.known:
            self.known[key] = compute()
            if self.file:
                self.file.parent.mkdir(parents=True, exist_ok=True)
                with open(self.file, "a") as out:
                    print(json.dumps([key, self.known[key]]), file=out)
        return self.known[key]
