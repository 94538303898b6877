import { getOutcome } from '../../../../nodes/shared/responses/outcome';
import { toBody } from '../../support/body.cts';

const METHODS = ['GET', 'PATCH', 'POST', 'DELETE'] as const;
type Method = (typeof METHODS)[number];

const outcomeOf = async (body: unknown, method: Method, status = 200) =>
	getOutcome(await toBody(typeof body === 'string' ? body : JSON.stringify(body)), status, method);

const withStatus = (...statuses: unknown[]) => statuses.map((status) => ({ status }));

describe.each<[string, string | undefined, unknown[]]>([
	[
		'plainly failed',
		'failed',
		[
			...[{ error: 'not now' }, { error: true }, { error: { code: 1 } }, { errors: ['not now'] }],
			...[{ errorMessage: 'x' }, { error_code: 'E17' }, { hasErrors: true }, { failed: 1 }],
			...[{ Success: false }, { success: 0 }, { success: 'false' }, { success: '0' }],
			...[{ ok: false }, { succeeded: false }, { isSuccess: false }, { result: false }],
			...withStatus('error', 'FAIL', 'failed', 'Failure', 'denied', '404', '500', 400, 599, false),
			...withStatus('canceled', 'Cancelled by the owner'),
			...[{ result: 'error' }, { statusCode: 503 }, { code: '422' }, { job: { state: 'failed' } }],
			...[{ data: { success: false } }, { data: null, meta: { error: 'x' } }],
			...withStatus('PERMISSION_DENIED', 'not_found', 'FAILED_PRECONDITION', 'KO', 'NOK'),
			...[{ errors: [null, { to: 'unknown' }] }, { error: { code: 0, text: 'No' } }],
			...[[{ error: 'locked' }], 'Error: locked by legal hold', 'Internal error', '"Not found"'],
			...['Access denied.', 'false', '0', 'Failed to delete', "Can't do that"],
		],
	],
	[
		'says neither',
		undefined,
		[
			...[
				{ error: null, name: 'N' },
				{ error: '', errors: [], warnings: ['x'], name: 'N' },
			],
			...[
				{ error_code: 0, error_msg: 'SUCCESS', a: 1 },
				{ error: 'None', errors: [null], a: 1 },
			],
			...[
				{ errors: { to: [] }, a: 1 },
				{ error: { code: '0000', text: 'NO_ERROR' }, a: 1 },
			],
			...[{ error: false, a: 1 }, { errors: {}, a: 1 }, { error: '0', a: 1 }, { ok: null }],
			...withStatus('active', 'open', 'errors', 'no error', 'failing over', '600', '4x4', '1404'),
			...[{ status: '4040' }, { terror: 'x' }, { error_page_url: '/x', a: 1 }],
			...withStatus(['error'], 399, null, 'not_scanned', 'access_locked', 'NOT_SENT'),
			...[
				{ country_code: '404' },
				{ code: 'CH' },
				{ code: 0 },
				{ a: 1 },
				{ message: 'The change was made' },
				{ success_rate: 0, ok_to_call: false, notebook: false },
			],
			...['It will be deleted', 'No errors', '<html><title>Error', '{"error": "x"'],
		],
	],
	[
		'is plainly done',
		'done',
		[
			...['', '{}', '[]', 'null', 'true', '1', 'ok', '"OK"', 'Done.', 'Successfully deleted'],
			...['The contact was removed from the list', { success: true }, { ok: 'true' }],
			...[
				{ success: 1, error: '', errors: [] },
				{ result: null, success: true, error: null },
			],
			...[
				...withStatus('ok', 'success', 'completed', '200', 204),
				{ code: 200, message: 'Deleted' },
			],
		],
	],
	[
		'is not done yet',
		'pending',
		[
			...withStatus('queued', 'Pending', 'processing', 'in progress', 'in_progress', 'scheduled'),
			...[{ job: { state: 'running' } }, { success: true, status: 'accepted' }],
		],
	],
])('a response with a status of success %s', (_what, outcome, bodies) => {
	it.each(bodies.map((body) => [body]))('whatever was asked for: %j', async (body) => {
		for (const method of METHODS) expect(await outcomeOf(body, method)).toBe(outcome);
	});
});

describe('a response with a status of success', () => {
	it.each([202, 207])(
		'is not known to be done with status %i, unless it failed',
		async (status) => {
			for (const method of METHODS) {
				expect(await outcomeOf('', method, status)).toBe('pending');
				expect(await outcomeOf({ success: true }, method, status)).toBe('pending');
				expect(await outcomeOf({ error: 'x' }, method, status)).toBe('failed');
			}
		},
	);

	it.each([
		[{ deletedCount: 0 }, 'failed'],
		[{ deleted: false }, 'failed'],
		[{ data: { removed: 0 } }, 'failed'],
		[{ deletedCount: 1 }, 'done'],
		[{ uuid: 'c-1', deleted: true }, 'done'],
		[{ deletedAt: '2026-11-22' }, 'done'],
		[{ deleted: [] }, undefined],
		[{ message: '0 rows deleted' }, undefined],
		[{ status: 'to_be_deleted' }, undefined],
		[{ message: 'Contact ko@example.com deleted' }, 'done'],
		[{ message: 'Contact kari@example.no (not.me@example.be) deleted' }, 'done'],
		[{ message: '"Rejected offers" was deleted' }, 'done'],
		[{ message: 'Container Error report deleted' }, undefined],
		[{ message: "Can't delete the owner's container" }, 'failed'],
		['Container deleted in 12 ms', 'done'],
		['Never queued', undefined],
		[{ status: 'inprogress' }, 'pending'],
		[`Container ${'x'.repeat(200)} deleted`, undefined],
		['Nothing was deleted', undefined],
		[{ message_id: '7 deleted', last_message: 'deleted' }, undefined],
		[{ uuid: 'c-1', name: 'One' }, undefined],
		[{ uuid: 'c-1', status: 'pending_deletion', deleted_at: '2099-12-31' }, 'pending'],
		['Container can be deleted after 2027-05-01', undefined],
		['Container marked to be deleted', undefined],
		['A request to get it deleted was sent', undefined],
		['Container deleted, email failed', undefined],
		[{ message: 'Container is removed after approval by an administrator' }, undefined],
		['Moved to the trash, deleted in 30 days', undefined],
		['Container is removed within 24 hours', undefined],
		[{ deleted: [], not_deleted: ['c-1'] }, undefined],
		[{ not_removed: ['c-1'], to_be_removed: true, unaffected: 1 }, undefined],
		['Container deleted by request of anna', 'done'],
	])('to a deletion says whether something was deleted: %j', async (body, outcome) => {
		expect(await outcomeOf(body, 'DELETE')).toBe(outcome);
	});

	it.each([
		[{ updated: 0 }, 'pending'],
		[{ rows_affected: '0' }, 'pending'],
		[{ nModified: 0, ok: 1 }, 'pending'],
		[{ updated: [], success: true }, 'pending'],
		[{ created: false }, undefined],
		[{ data: { modifiedCount: 0, acknowledged: true } }, 'pending'],
		[{ updated: 1 }, undefined],
		[{ updated: '2026-11-22' }, undefined],
		[{ email: 'a@example.com', updated: false }, undefined],
		[{ email: 'a@example.com', verification: { status: 'failed' } }, 'pending'],
		[{ email: 'a@example.com', description: 'Not for sale' }, undefined],
	])('to a change that changed no record needs a read: %j', async (body, outcome) => {
		expect(await outcomeOf(body, 'PATCH')).toBe(outcome);
		expect(await outcomeOf({ updated: 0, saved: [] }, 'POST')).toBeUndefined();
	});

	it.each([
		...['Could not update', 'The update failed', 'Invalid address', 'queued', 'Unchanged'],
		...['0 records updated', 'Nothing to update', 'This container is locked', 'Forbidden'],
	])(
		'to a change is doubtful by what it says to people, unless it is done: %s',
		async (message) => {
			expect(await outcomeOf({ message }, 'PATCH')).toBe('doubtful');
			expect(await outcomeOf({ message, success: true }, 'PATCH')).toBe('done');
			for (const method of ['GET', 'POST'] as const) {
				expect(await outcomeOf({ message }, method)).toBeUndefined();
			}
		},
	);

	// What a record says of itself is the record's own, unless it is new, or what was deleted.
	it.each(['uuid', 'UUID', 'id', 'Id', 'container_id', 'email', 'E-Mail'])(
		'is a record, whatever its fields, if it has %s',
		async (key) => {
			for (const own of [{ status: 'failed' }, { status: 'pending' }, { Success: false }]) {
				for (const body of [{ [key]: 'x', ...own }, { data: { [key]: 'x', ...own } }]) {
					expect(await outcomeOf(body, 'GET')).toBeUndefined();
					// An ID can be that of the request, or of a record that is not done: a read tells.
					const isPending = own.status === 'pending' && /mail/i.test(key);
					expect(await outcomeOf(body, 'PATCH')).toBe(isPending ? undefined : 'pending');
					expect(await outcomeOf(body, 'POST')).toMatch(/failed|pending/);
					expect(await outcomeOf(body, 'DELETE')).toMatch(/failed|pending/);
				}
				expect(await outcomeOf({ [key]: '', ...own }, 'GET')).toMatch(/failed|pending/);
			}
		},
	);

	/** What each method makes of it, in the order of METHODS. */
	it.each<[object, Array<string | undefined>]>([
		[
			{ container: { uuid: 'c-1' }, error: 'encryption failed' },
			[undefined, 'failed', 'failed', 'failed'],
		],
		[
			{ contact: { email: 'a@example.com', status: 'pending' } },
			[undefined, undefined, 'pending', 'pending'],
		],
		// The parts of a new container have a status of their own.
		[
			{ container: { uuid: 'c-1', recipients: [{ status: 'pending' }], owner: { ok: false } } },
			[undefined, undefined, undefined, 'pending'],
		],
		[
			{ container: { uuid: 'c-1', status: 'locked', delivery_status: 'queued' } },
			[undefined, 'pending', undefined, 'pending'],
		],
		[
			{ container: { uuid: 'c-1' }, email_status: 'queued', storage: { state: 'uploading' } },
			[undefined, 'pending', undefined, 'pending'],
		],
		[
			{ container: { uuid: 'c-1', encryption_status: 'failed', error: 'Locked' } },
			[undefined, 'pending', 'failed', 'pending'],
		],
		[
			{ container: { uuid: 'c-1', encryption_status: 'failed' } },
			[undefined, 'pending', 'failed', 'pending'],
		],
		[
			{ container: { uuid: 'c-1', status: 'locked by a failed scan' } },
			[undefined, 'pending', 'failed', 'pending'],
		],
		[
			{ container: { uuid: 'c-1', status: 'scan failed, locked' } },
			[undefined, 'pending', 'failed', 'pending'],
		],
		[
			{ container: { uuid: 'c-1', deleted: false, status: 'active' }, warnings: ['x'], errors: [] },
			[undefined, undefined, undefined, 'pending'],
		],
	])('of a record in an envelope: %j', async (body, expected) => {
		const outcomes = METHODS.map(async (method) => await outcomeOf(body, method));
		expect(await Promise.all(outcomes)).toEqual(expected);
	});

	it('is looked at only so far', async () => {
		const deep = { a: { a: { a: { error: 'x' } } } };
		expect(await outcomeOf(deep, 'DELETE')).toBe('failed');
		expect(await outcomeOf({ a: deep }, 'DELETE')).toBeUndefined();
	});
});
