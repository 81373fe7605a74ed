"""A headless Chromium for tests, through chromium-driver's HTTP interface. It has no network except
files and servers of this machine.

A program that cannot start one ends with exit code 77 and says why."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # key of element references in the standard
OPTIONS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1280,1000",
           "--disable-background-networking", "--disable-component-update", "--no-first-run",
           "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--proxy-server=127.0.0.1:9"]


def programs():
    found = shutil.which("chromium"), shutil.which("chromedriver")
    if None in found:
        print("skipped: chromium and chromedriver are not installed (Debian packages chromium and chromium-driver)")
        sys.exit(77)
    return found


class Browser:
    def __init__(self):
        chromium, driver = programs()
        self.folder = tempfile.mkdtemp(prefix="ke_browser_")
        self.log = open(os.path.join(self.folder, "driver.log"), "w+")
        self.process = subprocess.Popen([driver, "--port=0"], stdout=self.log, stderr=subprocess.STDOUT)
        self.address = f"http://127.0.0.1:{self.port()}"
        options = {"binary": chromium, "args": OPTIONS + [f"--user-data-dir={self.folder}/profile"]}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"},
                  "timeouts": {"script": 120000, "pageLoad": 120000}}
        self.session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]

    def port(self):
        for _ in range(1200):
            self.log.seek(0)
            for line in self.log.read().splitlines():
                if "started successfully on port" in line:
                    return int(line.rstrip(".").split()[-1])
            time.sleep(0.1)
        raise RuntimeError("chromedriver did not start")

    def call(self, method, path, body=None):
        request = urllib.request.Request(self.address + path, method=method, headers={"Content-Type": "application/json"},
                                         data=None if body is None else json.dumps(body).encode())
        try:
            with urllib.request.urlopen(request, timeout=240) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(json.load(error)["value"]["message"]) from None

    def do(self, method, path, body=None):
        return self.call(method, f"/session/{self.session}{path}", body)

    def open(self, path):
        self.open_address("file://" + os.path.abspath(path))

    def open_address(self, address):
        self.do("POST", "/url", {"url": address})

    def run(self, script, *arguments):
        """Value that a function body returns; elements come back as references."""
        return self.do("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def find(self, selector, text=None):
        """First element that matches and contains `text`."""
        found = self.run("""return [...document.querySelectorAll(arguments[0])].find(
          (node) => arguments[1] === null || node.textContent.includes(arguments[1])) ?? null;""", selector, text)
        assert found is not None, f"no element '{selector}' with text {text!r}"
        return found

    def click(self, selector, text=None):
        element = self.find(selector, text)
        self.run("arguments[0].scrollIntoView({block: 'center'});", element)
        self.do("POST", f"/element/{element[ELEMENT]}/click", {})

    def click_at(self, selector, x, y):
        """Clicks with the mouse at pixels of an element's upper left corner."""
        element = self.find(selector)
        left, top = self.run("""arguments[0].scrollIntoView({block: 'center'}); const box = arguments[0].getBoundingClientRect();
          return [box.left, box.top];""", element)
        self.do("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": [
            {"type": "pointerMove", "duration": 50, "x": round(left + x), "y": round(top + y)}, {"type": "pause", "duration": 80},
            {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]}]})

    def press(self, key):
        self.do("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]}]})

    def emulate(self, width, scheme, media=""):
        """Width of the window in pixels, the colours that the system prefers (light, dark), and screen ("") or print."""
        for command, values in (("setDeviceMetricsOverride", {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": False}),
                                ("setEmulatedMedia", {"media": media, "features": [{"name": "prefers-color-scheme", "value": scheme}]})):
            self.do("POST", "/goog/cdp/execute", {"cmd": f"Emulation.{command}", "params": values})

    def text(self, selector):
        return self.run("return arguments[0].textContent;", self.find(selector))

    def wait(self, condition, what):
        for _ in range(300):
            if self.run(f"return Boolean({condition});"):
                return
            time.sleep(0.1)
        raise AssertionError(f"never: {what}")

    def complaints(self):
        """Console messages since the last call, except plain notes."""
        return [entry["message"] for entry in self.do("POST", "/se/log", {"type": "browser"})
                if entry["level"] not in ("INFO", "DEBUG")]

    def picture(self, path):
        import base64
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.do("GET", "/screenshot")))

    def close(self):
        try:
            self.do("DELETE", "")
        finally:
            self.process.terminate()
            self.process.wait()
            self.log.close()
            shutil.rmtree(self.folder, ignore_errors=True)
