<?php
// Run by PHP's own web server, with the parser that PHP also uses behind Apache and FPM.
$method = $_SERVER['REQUEST_METHOD'];
$path = rawurldecode(substr(parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH), strlen('/api/v1')));
file_put_contents(getenv('REQUESTS'), "$method $path\n", FILE_APPEND | LOCK_EX);

function respond($status, $body) {
	http_response_code($status);
	header('Content-Type: application/json');
	echo json_encode($body, JSON_UNESCAPED_UNICODE | JSON_INVALID_UTF8_SUBSTITUTE);
}

function parts($field) {
	$files = $_FILES[$field] ?? null;
	if ($files === null) return [];
	$parts = [];
	foreach ((array) $files['tmp_name'] as $index => $stored) {
		$of = fn($key) => ((array) $files[$key])[$index];
		$parts[] = ['name' => $of('name'), 'type' => $of('type'), 'size' => $of('size'), 'sha256' => hash_file('sha256', $stored)];
	}
	return $parts;
}

if ($method === 'POST') {
	// PHP writes an underscore for a dot in the name of a part.
	$manifest = file_get_contents($_FILES['manifest_json']['tmp_name']);
	$name = json_decode($manifest, true)['container']['name'];
	if ($name === 'Refused') {
		respond(422, ['error' => ['message' => 'The container was refused']]);
	} else {
		$received = ['manifest' => $manifest, 'files' => parts('file')];
		respond(201, ['container' => ['uuid' => 'c-1', 'name' => $name], 'received' => $received]);
	}
} else {
	$email = basename($path);
	respond(200, ['email' => $email] + json_decode(file_get_contents('php://input'), true));
}
