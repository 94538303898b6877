// Go's net/http and mime/multipart.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

type object = map[string]any

func respond(response http.ResponseWriter, status int, body any) {
	response.Header().Set("Content-Type", "application/json")
	response.WriteHeader(status)
	json.NewEncoder(response).Encode(body)
}

func encode(response http.ResponseWriter, request *http.Request) {
	if err := request.ParseMultipartForm(1 << 20); err != nil {
		respond(response, 400, object{"error": object{"message": err.Error()}})
		return
	}
	var manifest []byte
	files := []object{}
	for _, header := range request.MultipartForm.File["manifest.json"] {
		file, _ := header.Open()
		manifest, _ = io.ReadAll(file)
	}
	for _, header := range request.MultipartForm.File["file"] {
		file, _ := header.Open()
		hash := sha256.New()
		size, _ := io.Copy(hash, file)
		files = append(files, object{
			"name": header.Filename, "type": header.Header.Get("Content-Type"),
			"size": size, "sha256": hex.EncodeToString(hash.Sum(nil)),
		})
	}
	var parsed struct{ Container struct{ Name string } }
	if err := json.Unmarshal(manifest, &parsed); err != nil {
		respond(response, 400, object{"error": object{"message": err.Error()}})
		return
	}
	name := parsed.Container.Name
	if name == "Refused" {
		respond(response, 422, object{"error": object{"message": "The container was refused"}})
		return
	}
	respond(response, 201, object{
		"container": object{"uuid": "c-1", "name": name},
		"received":  object{"manifest": string(manifest), "files": files},
	})
}

func service(response http.ResponseWriter, request *http.Request) {
	path := strings.TrimPrefix(request.URL.Path, "/api/v1")
	log, _ := os.OpenFile(os.Getenv("REQUESTS"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	fmt.Fprintf(log, "%s %s\n", request.Method, path)
	log.Close()
	container := object{"uuid": "c-1", "name": "One"}
	switch {
	case path == "/me":
		respond(response, 200, object{"id": "u-1", "email": "owner@example.com"})
	case request.Method == "POST":
		encode(response, request)
	case request.Method == "PATCH":
		body := object{}
		json.NewDecoder(request.Body).Decode(&body)
		body["email"] = path[strings.LastIndex(path, "/")+1:]
		respond(response, 200, body)
	case request.Method == "DELETE":
		response.WriteHeader(204)
	case path == "/users/u-1/containers":
		respond(response, 200, []object{container})
	default:
		respond(response, 200, container)
	}
}

func main() {
	http.HandleFunc("/", service)
	if err := http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil); err != nil {
		panic(err)
	}
}
