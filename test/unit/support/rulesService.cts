import type { IDataObject } from 'n8n-workflow';
import { ItemState } from '../../../nodes/EncryptedContainers/execution/tries';
import type { Call } from '../../../nodes/EncryptedContainers/execution/operation';
import {
	changeRules,
	type Decide,
} from '../../../nodes/EncryptedContainers/resources/drm/changeRules';
import { endAccess } from '../../../nodes/EncryptedContainers/resources/drm/ruleChanges';
import { parseChange, planUpdate } from '../../../nodes/EncryptedContainers/resources/drm/update';
import { setUpClient } from './client.cts';

export const current = () => ({
	...{ dynamic: true, downloadable: false, opens: 5, geo: { allow: [{ country: 'CH' }] } },
	time: { start: '2026-01-01', end: '2099-12-31' },
	recipients: ['anna@x.example', 'bob@x.example', 'carl@x.example'],
});

const toJson = (body: unknown) => JSON.parse(String(body)) as IDataObject;
export const toShown = (state: IDataObject) => ({ state, body: state });

/** A service with one container, whose reads show the state of `lag` changes ago for a number of reads. */
export function setUpService(first: IDataObject) {
	const { client, replies, sent } = setUpClient([]);
	const states = [first];
	let oldReads = 0;
	let lag = 1;
	let key = `test ${Math.random()}`;
	const service = {
		/** How it responds to a change, and what becomes of the rules. */
		onPatch: (state: IDataObject): { status?: number; body?: unknown; state: IDataObject } => ({
			state,
		}),
		show: (state: IDataObject): unknown => state,
	};
	jest.spyOn(replies, 'shift').mockImplementation(() => {
		const request = sent.at(-1);
		if (request?.method === 'PATCH') {
			const { state, body = '', status = 200 } = service.onPatch(toJson(request.body));
			states.push(state);
			return { body, status };
		}
		const isOld = oldReads > 0 && states.length > lag;
		oldReads -= 1;
		return { body: service.show(states.at(isOld ? -1 - lag : -1) ?? {}) };
	});
	const change = async (needs: string[] | undefined, decide: Decide) => {
		const call = {
			client,
			item: { state: new ItemState() },
			run: { signal: new AbortController().signal },
			getServiceKey: () => key,
			runAlone: async (_key: string, task: () => Promise<unknown>) => await task(),
		} as unknown as Call;
		const target = { id: 'c-1', name: 'Invoice' };
		const { changed, response, rules } = await changeRules(call, target, needs, decide);
		return { ...(response ?? rules), changed };
	};
	return {
		service,
		sent,
		methods: () => sent.map(({ method }) => method).join(' '),
		bodies: () => sent.filter(({ method }) => method === 'PATCH').map(({ body }) => toJson(body)),
		rules: () => states.at(-1),
		set: (state: IDataObject) => states.push(state),
		useKey: (another: string) => (key = another),
		fallBehind(reads: number, by = 1) {
			oldReads = reads;
			lag = by;
		},
		async update(fields: IDataObject, options: { keepOtherRules?: boolean } = {}) {
			const parameters: IDataObject = fields.rulesJson
				? { specifyRules: 'json', ...fields }
				: { specifyRules: 'fields', rules: fields };
			const get = (name: string) => parameters[name];
			const item = { getParameter: get, getRawParameter: get, timeZone: 'America/New_York' };
			const parsed = parseChange(item, { allowWildcards: false }, 'c-1');
			const whole = { keepOtherRules: true, ...options, ...parsed, today: '2026-11-22' };
			const { needs, decide } = planUpdate(whole, { forbidDownload: false });
			return await change(needs, decide);
		},
		revoke: async () => await change([], (read) => endAccess(read?.rules ?? {})),
	};
}
