import type { IDataObject } from 'n8n-workflow';
import { ItemState } from '../../../nodes/EncryptedContainers/execution/tries';
import type { Item } from '../../../nodes/EncryptedContainers/execution/item';
import {
	changeRules,
	type RulesTask,
} from '../../../nodes/EncryptedContainers/resources/drm/changeRules';
import { endAccess } from '../../../nodes/EncryptedContainers/resources/drm/ruleChanges';
import { parseChange } from '../../../nodes/EncryptedContainers/resources/drm/update.operation';
import { planUpdate } from '../../../nodes/EncryptedContainers/resources/drm/updatePatch';
import { setUpClient } from './client.cts';

export const current = (): IDataObject => ({
	...{ dynamic: true, downloadable: false, opens: 5, geo: { allow: [{ country: 'CH' }] } },
	time: { end: '2099-12-31' },
	recipients: ['anna@x.example', 'bob@x.example', 'carl@x.example'],
});

interface Answer {
	status?: number;
	body?: unknown;
	/** The rules afterwards; those of before if undefined. */
	state?: IDataObject;
}

const toJson = (body: unknown) => JSON.parse(String(body)) as IDataObject;

/** Merges at the top level (docs/openapi.yaml, updateDrmRules). */
export function merge(state: IDataObject, patch: IDataObject): IDataObject {
	const all = Object.entries({ ...state, ...patch });
	return Object.fromEntries(all.filter(([, value]) => value !== null)) as IDataObject;
}

/** A service with one container, and items that change its rules. */
export function setUpService(first: IDataObject, { hasETag = false } = {}) {
	const { client, replies, sent } = setUpClient([]);
	const states = [first];
	const hints: string[] = [];
	let oldReads = 0;
	const now = () => states.at(-1) ?? {};
	const service = {
		/** How it answers a change. */
		onPatch(patch: IDataObject): Answer {
			const state = merge(now(), patch);
			return { state, body: state };
		},
		show: (state: IDataObject): unknown => state,
	};
	const tag = () => (hasETag ? { etag: `"${states.length}"` } : ({} as Record<string, string>));
	jest.spyOn(replies, 'shift').mockImplementation(() => {
		const request = sent.at(-1);
		if (request?.method !== 'PATCH') {
			oldReads -= 1;
			const shown = oldReads >= 0 ? states.at(-2) : now();
			const headers = tag();
			return { body: service.show(shown ?? {}), headers };
		}
		const { 'If-Match': match } = (request.headers ?? {}) as IDataObject;
		if (match !== undefined && match !== tag().etag) return { status: 412 };
		const { state, body = '', status = 200 } = service.onPatch(toJson(request.body));
		if (state !== undefined) states.push(state);
		return { body, status, headers: tag() };
	});
	/** Another item has another state. */
	const createItem = () => {
		const call = {
			client,
			...{ state: new ItemState(), timeZone: 'UTC' },
			run: { signal: new AbortController().signal, addHint: (hint: string) => hints.push(hint) },
			runAlone: async (_key: string, task: () => Promise<unknown>) => await task(),
		} as unknown as Item;
		const change = async (task: RulesTask) => {
			const target = { id: 'c-1', name: 'Invoice' };
			const { changed, output, shown } = await changeRules(call, target, task);
			return { changed, output, rules: shown.record };
		};
		return {
			change,
			async update(fields: IDataObject) {
				const parameters: IDataObject = fields.rulesJson
					? { specifyRules: 'json', ...fields }
					: { specifyRules: 'fields', rules: fields };
				const get = (name: string) => parameters[name];
				const item = {
					getParameter: get,
					getRawParameter: get,
					getOptions: () => ({}),
					timeZone: 'UTC',
				} as unknown as Item;
				return await change(planUpdate(parseChange(item), {}));
			},
			revoke: async () => await change({ needs: [], decide: endAccess }),
		};
	};
	return {
		...createItem(),
		createItem,
		service,
		sent,
		hints,
		methods: () => sent.map(({ method }) => method).join(' '),
		bodies: () => sent.filter(({ method }) => method === 'PATCH').map(({ body }) => toJson(body)),
		rules: now,
		set: (state: IDataObject) => states.push(state),
		/** The next reads show the state of one change ago. */
		fallBehind: (reads: number) => (oldReads = reads),
	};
}
