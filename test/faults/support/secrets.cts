import { inspect } from 'node:util';
import type { INodeExecutionData, IRun } from 'n8n-workflow';
import { storedRecord } from '../../support/engine.cts';

/** An API key with characters that JSON, URLs, forms and Base64 encode differently. */
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

/** @returns the encodings in which a text of the result shows a secret, each with the text; empty without a leak */
export function findLeaks(shown: VisibleResult, secrets: string[] = [API_KEY, PASSWORD]): string[] {
	const texts = getTexts(shown);
	return secrets.flatMap((secret) =>
		Object.entries(getEncodings(secret)).flatMap(([form, spelled]) =>
			texts.filter((text) => text.includes(spelled)).map((text) => `${form}: ${text}`),
		),
	);
}

/**
 * Encodings of a secret that services, browsers and programs use, by name. Its halves are included:
 * part of a secret is still a leak.
 */
export function getEncodings(secret: string): Record<string, string> {
	const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
	const encoded = encodeURIComponent(secret);
	const escape = (character: string) =>
		`\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
	return {
		plain: secret,
		'in JSON': inJson(secret),
		'in JSON in JSON': inJson(inJson(secret)),
		'in JSON with escaped slashes': inJson(secret).replaceAll('/', '\\/'),
		'in JSON in ASCII': inJson(secret).replace(/[^ -~]/g, escape),
		'in a URL': encoded,
		'in a URL, small letters': encoded.replace(/%[\dA-F]{2}/g, (one) => one.toLowerCase()),
		'in a path': encodeURI(secret),
		'in a form': new URLSearchParams([['', secret]]).toString().slice(1),
		'in Base64': base64(secret, 0),
		'in Base64 after a byte': base64(secret, 1),
		'in Base64 after two bytes': base64(secret, 2),
		'in Base64 for URLs': base64(secret, 0).replaceAll('+', '-').replaceAll('/', '_'),
		'first half': secret.slice(0, Math.ceil(secret.length / 2)),
		'second half': secret.slice(Math.floor(secret.length / 2)),
	};
}

/** The Base64 characters that only depend on the secret after this many other bytes. */
function base64(secret: string, before: number): string {
	const bytes = Buffer.concat([Buffer.alloc(before, 'x'), Buffer.from(secret)]);
	const text = bytes.toString('base64').replaceAll('=', '');
	return text.slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
}
