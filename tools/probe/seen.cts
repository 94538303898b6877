import { isRecord } from '../../nodes/shared/responses/shapes.ts';
import { parseJson, type Exchange } from './recorder.cts';
import type { Step } from './walk.cts';

/** What the walk has shown, for the rows of the table. */
export class Seen {
	private readonly steps: Map<string, Step>;

	constructor(readonly all: Step[]) {
		this.steps = new Map(all.map((step) => [step.id, step]));
	}

	/** The response to the main request of a step: the change if there is one. */
	answer(id: string): Exchange | undefined {
		const exchanges = this.steps.get(id)?.exchanges ?? [];
		return exchanges.findLast(({ method }) => method !== 'GET') ?? exchanges.at(-1);
	}

	body(id: string): unknown {
		const answer = this.answer(id);
		return answer === undefined || answer.status >= 300 ? undefined : parseJson(answer.text);
	}

	/** The response in a few words: status, type and shape. */
	response(...ids: string[]): string {
		const texts = ids.map((id) => {
			const answer = this.answer(id);
			return answer === undefined ? `${id}: not seen` : `${id}: ${describeAnswer(answer)}`;
		});
		return texts.join('; ');
	}

	/** What the node made of a step. */
	outcome(...ids: string[]): string {
		const texts = ids.map((id) => `${id}: ${this.result(id)}`);
		return texts.join('; ');
	}

	succeeded(id: string): boolean {
		const outcome = this.steps.get(id)?.outcome;
		return outcome !== undefined && outcome.error === undefined;
	}

	private result(id: string): string {
		const { outcome } = this.steps.get(id) ?? {};
		if (outcome === undefined) return 'not run';
		const { items, error } = outcome;
		if (error !== undefined) return `the error "${error.message.replace(/ \[item 0\]$/, '')}"`;
		return items.length === 1 ? `1 item ${describeShape(items[0], 1)}` : `${items.length} items`;
	}
}

function describeAnswer({ status, headers, text }: Exchange): string {
	const [type] = (headers['content-type'] ?? 'no content type').split(';');
	if (text === '') return `${status} without a body`;
	const json = parseJson(text);
	return `${status} ${type} ${json === undefined ? `of ${text.length} characters` : describeShape(json)}`;
}

const MAX_KEYS = 24;

/** The names of fields, two levels deep; never a value. */
export function describeShape(value: unknown, depth = 2): string {
	if (Array.isArray(value)) {
		const first = value.length === 0 ? '' : ` of ${describeShape(value[0], depth - 1)}`;
		return `list (${value.length})${first}`;
	}
	if (!isRecord(value)) return value === null ? 'null' : typeof value;
	const keys = Object.keys(value).slice(0, MAX_KEYS);
	const fields = keys.map((key) => {
		const child = value[key];
		const isNested = depth > 1 && typeof child === 'object' && child !== null;
		return isNested ? `${toName(key)}: ${describeShape(child, depth - 1)}` : toName(key);
	});
	const more = Object.keys(value).length > keys.length ? ', …' : '';
	return depth < 1 ? '{ … }' : `{ ${fields.join(', ')}${more} }`;
}

/** A key can be data, such as the name of a person. */
function toName(key: string): string {
	return /^[@\w.$-]{1,40}$/.test(key) && !/\d{4}|@./.test(key) ? key : '…';
}

/** The value of the first field with this name, at any depth. */
export function findField(value: unknown, name: string): unknown {
	if (typeof value !== 'object' || value === null) return undefined;
	if (!Array.isArray(value) && Object.hasOwn(value, name)) {
		return (value as Record<string, unknown>)[name];
	}
	for (const child of Object.values(value)) {
		const found = findField(child, name);
		if (found !== undefined) return found;
	}
	return undefined;
}

/** A short value of the probe's own records. */
export function quote(value: unknown): string {
	if (value === undefined) return 'not in the response';
	const text = JSON.stringify(value);
	return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}
