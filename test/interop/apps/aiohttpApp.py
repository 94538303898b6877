"""aiohttp's web server and its own multipart reader."""

import hashlib
import json
import os

from aiohttp import web

CONTAINER = {"uuid": "c-1", "name": "One"}


def describe(field):
    content = field.file.read()
    return {
        "name": field.filename,
        "type": field.content_type,
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
    }


async def service(request):
    path = request.path.removeprefix("/api/v1")
    with open(os.environ["REQUESTS"], "a", encoding="utf-8") as requests:
        requests.write(f"{request.method} {path}\n")
    if path == "/me":
        return web.json_response({"id": "u-1", "email": "owner@example.com"})
    if request.method == "POST":
        form = await request.post()
        manifest = form["manifest.json"].file.read().decode()
        name = json.loads(manifest)["container"]["name"]
        if name == "Refused":
            return web.json_response(
                {"error": {"message": "The container was refused"}}, status=422
            )
        files = [describe(field) for field in form.getall("file")]
        received = {"manifest": manifest, "files": files}
        container = {"uuid": "c-1", "name": name}
        return web.json_response({"container": container, "received": received}, status=201)
    if request.method == "PATCH":
        body = await request.json()
        return web.json_response({"email": path.split("/")[-1], **body})
    if request.method == "DELETE":
        return web.Response(status=204)
    found = [CONTAINER] if path == "/users/u-1/containers" else CONTAINER
    return web.json_response(found)


app = web.Application(client_max_size=256 * 1024 * 1024)
app.router.add_route("*", "/{path:.*}", service)
web.run_app(app, host="127.0.0.1", port=int(os.environ["PORT"]))
