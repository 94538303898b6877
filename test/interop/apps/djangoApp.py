"""Django's request parser and its development server."""

import hashlib
import json
import os
import sys

from django.conf import settings
from django.core.management import execute_from_command_line
from django.http import JsonResponse
from django.urls import re_path

settings.configure(
    ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, SECRET_KEY="interop", USE_TZ=True
)


def describe(file):
    content = file.read()
    sha256 = hashlib.sha256(content).hexdigest()
    return {"name": file.name, "type": file.content_type, "size": len(content), "sha256": sha256}


def service(request, path):
    if request.method == "PATCH":
        return JsonResponse({"email": path.split("/")[-1], **json.loads(request.body)})
    manifest = request.FILES["manifest.json"].read().decode()
    files = [describe(file) for file in request.FILES.getlist("file")]
    received = {"manifest": manifest, "files": files}
    return JsonResponse({"container": {"uuid": "c-1"}, "received": received})


urlpatterns = [re_path("^api/v1(/.*)$", service)]

if __name__ == "__main__":
    execute_from_command_line(
        [sys.argv[0], "runserver", "--noreload", f"127.0.0.1:{os.environ['PORT']}"]
    )
