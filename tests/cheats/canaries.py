"""Plants files that no kernel may read, change or delete, where kernels look for them."""
import os
import pathlib
import secrets

NAMES = ("ke_canary_secret", "ke_canary_delete")
LEFT = ("ke_canary_left_behind", "ke_canary_moved", "ke_canary_disk", "ke_canary_queue")
VARIABLE = "KE_CANARY_X"


class Canaries:
    """Plants files on entering and removes them on leaving."""

    def __init__(self, folders):
        self.folders = [pathlib.Path(folder) for folder in dict.fromkeys(folders)]
        self.token = "canary" + secrets.token_hex(16)

    def __enter__(self):
        for path in self._paths():
            self._plant(path)
        return self

    def __exit__(self, *_):
        for path in self._paths():
            path.unlink(missing_ok=True)

    def _paths(self):
        return [folder / name for folder in self.folders for name in NAMES]

    def _plant(self, path):
        path.unlink(missing_ok=True)
        path.write_text(self.token + "\n")
        path.chmod(0o666)  # any user could read and change it: only the sandbox protects it

    def damage(self):
        """Damage to the canaries since the last call, as a list of lines; plants missing ones
        again."""
        found = []
        for path in self._paths():
            try:
                if path.read_text() == self.token + "\n":
                    continue
                found.append(f"{path} was changed")
            except OSError:
                found.append(f"{path} is gone")
            self._plant(path)
        for folder in (*self.folders, pathlib.Path("/dev/shm")):
            for name in LEFT:
                if os.path.lexists(folder / name):
                    found.append(f"{folder / name} was made")
                    os.rename(folder / name, folder / (name + "_seen"))
        return found

    def leaked_in(self, text):
        return self.token in text
