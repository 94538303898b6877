/** A sentence of SECURITY.md and what shows it: titles of tests by file, or nothing where it is about n8n or explains. */
export type Claims = Record<string, Record<string, string> | 'explains'>;

const CREDENTIAL = 'engine/credential.test.cts';
const TLS = 'engine/tls.test.cts';
const RESPONSES = 'engine/responses.test.cts';
const FORMS = 'unit/shared/responses/redactForms.test.cts';
const TEXT = 'engine/serviceText.test.cts';
const PASSWORDS = 'engine/passwordsInJson.test.cts';
const SECURITY = 'unit/security.test.cts';

/** By the start of each sentence, in the order of SECURITY.md. */
export const claims: Claims = {
	'Each sentence here is shown by a test': {
		[SECURITY]: 'is shown by tests, or explains another one: %s',
	},

	"It is in n8n's encrypted credentials.": {
		[CREDENTIAL]:
			'has the fields that saved credentials contain, no default host, and a secret API key',
	},
	'It leaves n8n only in the `Authorization: Bearer` header': {
		[CREDENTIAL]: 'is not sent to %s, and neither is the request',
		'engine/apiKey.test.cts': 'is in the Authorization header of each request and nowhere else',
	},
	'A request to another origin, or with another `Host` header,': {
		[CREDENTIAL]: 'is not sent to %s, and neither is the request',
		[TLS]: 'does not send it with another %s',
	},
	'So does a request that ignores SSL issues': { [TLS]: 'does not send the API key when it %s' },
	"All of this also holds for n8n's HTTP Request node": {
		[TLS]: 'the HTTP Request node with this credential',
	},
	'Redirects are not followed.': {
		[CREDENTIAL]: 'follows no redirect %s, with any setting of the node',
	},
	'A link to a next page that leaves the Base URL is an error.': {
		'engine/listPages.test.cts': 'does not leave the path of the Base URL for %s',
	},
	'So is an ID with a slash or a backslash.': {
		'unit/shared/client/path.test.cts': 'is rejected with the name of the field: %s',
	},
	'**Whoever can use the credential can see the key.**': 'explains',
	'In n8n, everyone who can edit a workflow that uses a credential can read its secrets':
		'explains',
	'The node refuses to run when one of its parameters names `$credentials`': {
		'engine/credentialExpressions.test.cts': 'is refused before anything is sent: %s',
	},
	"It can't undo what such an expression already did": 'explains',
	'**Whoever can edit the credential can redirect the key.**': 'explains',
	'With another Base URL, n8n sends the key to another service.': 'explains',

	'A password is sent to the service in the manifest': { [PASSWORDS]: 'is sent unchanged' },
	'The node finds passwords at any depth of Manifest (JSON) and Rules (JSON)': {
		[PASSWORDS]: 'is not in the error when the service echoes it: %s',
		'unit/EncryptedContainers/parameters/passwords.test.cts':
			'are found at any depth, in lists and objects, as text and as numbers',
	},
	'What the service repeats of the API key or of a password': {
		[PASSWORDS]: 'is not in the output when the service echoes it in any form',
		[CREDENTIAL]:
			'keeps the API key out of records and logs when the service returns it everywhere',
	},
	'This is certain for the secret as it was entered': {
		[FORMS]: 'a password %s',
		'unit/shared/responses/redact.properties.test.cts': 'is redacted in text, in every encoding',
	},
	'A secret of fewer than eight characters is only replaced': {
		'unit/shared/responses/redact.test.cts': 'is kept where a word only contains a short one: %j',
	},
	'Other forms, such as a part of a secret': 'explains',
	'IDs, names and addresses in output items keep the text of a password': {
		'engine/container/encode/passwordInNames.test.cts':
			'leaves names, identifiers and addresses as they are, and nothing else',
	},
	'A text of the service in a field that has the name of a password is hidden': {
		'unit/shared/responses/redact.test.cts': 'is redacted in %s',
	},
	'A password that you type into a node is part of the workflow': 'explains',

	'In errors and lists to choose from, a text of the service is one line': {
		[TEXT]: 'is one plain line of at most 500 characters: %s',
	},
	'It has no control characters': {
		'unit/shared/responses/redactLine.test.cts': 'has no %s',
		[TEXT]: 'is one plain line',
	},
	'A response that has a field with a name of more than 1,000 characters': {
		[TEXT]: 'is an error, and in no record or log: %s',
	},

	'The node reads at most 64 MB for a page of a list': {
		[RESPONSES]: 'of more than %s is not read',
	},
	'It reads at most 512 MB or 1,000,000 entries of a list.': {
		'unit/shared/client/paginate.test.cts': 'is read up to %s',
	},
	"A list whose pages don't end is an error.": {
		'engine/listPages.test.cts': 'ends with an error when empty pages go on and on',
	},
	'The service has 60 seconds for a whole response': {
		[RESPONSES]: 'fails after the Response Timeout, each try',
	},
	'A poll that is held up fails.': { [RESPONSES]: 'fails the poll, and the next one polls again' },
	'A name or password that you enter has at most 1,000 characters': {
		'unit/shared/parameters/lengths.test.cts': 'is limited for each %s to %d characters',
	},
	'What is longer is refused before anything is sent.': {
		'engine/lengths.test.cts': 'is refused before anything is sent: %s',
	},
	'The time to redact a text and to search it grows with its length only.': {
		'unit/shared/responses/redact.test.cts': 'is redacted with breaks when the secret is %s',
	},
	'Work on long lists takes breaks': {
		'unit/shared/client/takeBreak.test.cts':
			'lets others have their turn, however many work at a time',
	},

	'In memory, for ten minutes: which user an API key belongs to': {
		'engine/currentUser.test.cts': 'is asked for again after ten minutes',
	},
	"In n8n's database, with the workflow: what the trigger saves at a poll.": {
		'unit/EncryptedContainersTrigger/pollState.test.cts':
			'survives the round trip through the database: %s',
	},
	'These are hashes and, for the deleted events, the IDs and names': {
		'unit/EncryptedContainersTrigger/pollState.test.cts':
			'has a short key that reveals nothing of what is watched',
	},
	'Neither contains the API key.': {
		'faults/secrets.test.cts': 'a poll emits and stores no API key',
	},
	"Files are read from n8n's binary data while they are sent.": {
		'engine/container/encode/upload.test.cts': 'can be 250, and at most one is open at a time',
	},
	'The package writes no files to disk.': {
		[SECURITY]: 'imports nothing but n8n-workflow and crypto',
	},
	'The package has no runtime dependencies.': { [SECURITY]: 'has no runtime dependencies' },
	'It imports only `n8n-workflow` and `crypto`.': {
		[SECURITY]: 'imports nothing but n8n-workflow and crypto',
	},
};
