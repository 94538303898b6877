<?php
// Run by PHP's own web server, with the parser that PHP also uses behind Apache and FPM.
header('Content-Type: application/json');
if ($_SERVER['REQUEST_METHOD'] === 'PATCH') {
	$email = basename(rawurldecode($_SERVER['REQUEST_URI']));
	echo json_encode(['email' => $email] + json_decode(file_get_contents('php://input'), true));
	return;
}
$files = [];
foreach ($_FILES['file']['tmp_name'] as $index => $stored) {
	$of = fn($key) => $_FILES['file'][$key][$index];
	$sha256 = hash_file('sha256', $stored);
	$files[] = ['name' => $of('name'), 'type' => $of('type'), 'size' => $of('size'), 'sha256' => $sha256];
}
// PHP writes an underscore for a dot in the name of a part.
$manifest = file_get_contents($_FILES['manifest_json']['tmp_name']);
$received = ['manifest' => $manifest, 'files' => $files];
echo json_encode(['container' => ['uuid' => 'c-1'], 'received' => $received]);
