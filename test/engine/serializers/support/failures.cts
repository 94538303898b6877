export interface FailureRow {
	shape: string;
	status: number;
	body: string;
	/** What the node must tell of it. */
	told: RegExp;
}

/** An error, and failures with a status of success: which others there are is tested in test/unit. */
export const FAILURES: FailureRow[] = [
	{
		shape: 'an error by field',
		status: 422,
		body: '{"message":"The email is invalid.","errors":{"email":["Required."]}}',
		told: /The email is invalid\. email: Required\./,
	},
	{
		shape: 'a failure with a status of success',
		status: 200,
		body: '{"result":null,"success":false,"error":{"message":"Locked"}}',
		told: /"Locked"|a JSON object with the fields|instead of a list/,
	},
	{ shape: 'no rows', status: 200, body: '0', told: /the JSON value 0|instead of a list/ },
];

/** How services answer a change that was made, without a record. */
export const SUCCESSES: Array<{ shape: string; status: number; body: string }> = [
	{ shape: 'nothing', status: 204, body: '' },
	{ shape: 'true', status: 200, body: 'true' },
	{ shape: 'flags as text', status: 200, body: '{"success":"1","error":"","errors":[]}' },
];
