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

const MAX_TEXT_LENGTH = 100_000;

/** Every text of an execution that can contain a secret, by place. Very long texts are cut. */
function getTexts({ items = [], error, log = [], execution }: VisibleResult): Map<string, string> {
	const places = new Map<string, string>();
	const add = (place: string, text: string) => places.set(place, text.slice(0, MAX_TEXT_LENGTH));
	const look = (value: unknown) =>
		inspect(value, { depth: 12, maxStringLength: MAX_TEXT_LENGTH, maxArrayLength: 50 });
	const few = items.slice(0, 50);
	few.forEach(({ json }, index) => add(`item ${index}`, look(json)));
	few.forEach((item, index) => {
		if (item.error !== undefined) addError(`error of item ${index}`, item.error);
	});
	if (error !== undefined) addError('error', error);
	add('log', log.join('\n'));
	if (execution !== undefined && items.length <= 50)
		add('execution record', storedRecord(execution));
	return places;

	function addError(place: string, value: unknown): void {
		const { message, description } = value as { message?: unknown; description?: unknown };
		add(`${place}, message`, String(message));
		add(`${place}, description`, String(description));
		add(`${place}, JSON`, JSON.stringify(value));
		add(`${place}, inspected`, look(value));
	}
}

/** Finds secrets in every text of a result, in every encoding. Returns places and encodings, empty without a leak. */
export function findLeaks(shown: VisibleResult, secrets: string[] = [API_KEY, PASSWORD]): string[] {
	const leaks: string[] = [];
	for (const [place, text] of getTexts(shown)) {
		for (const secret of secrets) {
			for (const [form, spelled] of Object.entries(getEncodings(secret))) {
				if (text.includes(spelled)) leaks.push(`${form} in ${place}`);
			}
		}
	}
	return leaks;
}

/**
 * Encodings of a secret that services, browsers and programs use, by name. Its halves are included:
 * part of a secret is still a leak.
 */
export function getEncodings(secret: string): Record<string, string> {
	const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
	const encoded = encodeURIComponent(secret);
	return {
		plain: secret,
		'in JSON': inJson(secret),
		'in JSON in JSON': inJson(inJson(secret)),
		'in JSON with escaped slashes': inJson(secret).replaceAll('/', '\\/'),
		'in JSON in ASCII': inJson(secret).replace(
			/[^ -~]/g,
			(character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
		),
		'in a URL': encoded,
		'in a URL, small letters': encoded.replace(/%[\dA-F]{2}/g, (escape) => escape.toLowerCase()),
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
	const first = Math.ceil((before * 8) / 6);
	return text.slice(first, Math.floor((bytes.length * 8) / 6));
}
