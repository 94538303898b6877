import { inspect } from 'node:util';
import type { INodeExecutionData, IRun } from 'n8n-workflow';
import { storedRecord } from '../../support/engine.cts';

/** An API key with characters that JSON and URLs encode differently. */
export const API_KEY = 'key-7f3a"9\\c/+%&=e1~Zq<0>5!d8';

/** A container's password of the same kind, with characters beyond ASCII. */
export const PASSWORD = 'Pa55 "wörd"\\/+%&=<€>~!\'(x)*4711';

/** The parts of a result that a person, another node, a log or the database can see. */
export interface VisibleResult {
	items?: INodeExecutionData[];
	error?: unknown;
	log?: string[];
	execution?: IRun;
}

/** Every text of an execution that can contain a secret. */
function getTexts({ items = [], error, log = [], execution }: VisibleResult): string[] {
	const look = (value: unknown) => inspect(value, { depth: 12, maxStringLength: null });
	const errors = [error, ...items.map((item) => item.error)].filter((one) => one !== undefined);
	return [
		...log,
		...items.map(({ json }) => look(json)),
		...errors.flatMap((one) => {
			const { message, description } = one as { message?: unknown; description?: unknown };
			return [String(message), String(description), JSON.stringify(one), look(one)];
		}),
		...(execution === undefined ? [] : [storedRecord(execution)]),
	];
}

/** A secret as it is, in JSON and in a URL. */
export function encodingsOf(secret: string): string[] {
	return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)];
}

/** @returns the texts of the result that show a secret; empty without a leak */
export function findLeaks(shown: VisibleResult, secrets = [API_KEY, PASSWORD]): string[] {
	const encodings = secrets.flatMap(encodingsOf);
	return getTexts(shown).filter((text) => encodings.some((encoding) => text.includes(encoding)));
}
