import { inspect } from 'node:util';
import type { INodeExecutionData, IRun } from 'n8n-workflow';
import { storedRecord } from '../../support/engine.cts';

/** An API key with what JSON, URLs, forms and Base64 write differently. */
export const API_KEY = 'key-7f3a"9\\c/+%&=e1~Zq<0>5!d8';

/** A container's password of the same kind, beyond ASCII too. */
export const PASSWORD = 'Pa55 "wörd"\\/+%&=<€>~!\'(x)*4711';

/** What a result shows of itself: whatever of it a person, another node, a log or the database gets. */
export interface Shown {
	items?: INodeExecutionData[];
	error?: unknown;
	log?: string[];
	execution?: IRun;
}

const LONGEST_TEXT = 100_000;

/**
 * Every text in which a secret could come out of a run.
 *
 * @param shown the parts of a result
 * @returns the texts by the name of their place; very long ones are cut
 */
export function placesOf({ items = [], error, log = [], execution }: Shown): Map<string, string> {
	const places = new Map<string, string>();
	const add = (place: string, text: string) => places.set(place, text.slice(0, LONGEST_TEXT));
	const look = (value: unknown) =>
		inspect(value, { depth: 12, maxStringLength: LONGEST_TEXT, maxArrayLength: 50 });
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

/**
 * Looks for secrets in every text of a result, however they are written there.
 *
 * @param shown the parts of a result
 * @param secrets what must not be in it
 * @returns the places and forms that were found; empty when nothing leaks
 */
export function leaksOf(shown: Shown, secrets: string[] = [API_KEY, PASSWORD]): string[] {
	const leaks: string[] = [];
	for (const [place, text] of placesOf(shown)) {
		for (const secret of secrets) {
			for (const [form, spelled] of Object.entries(spellingsOf(secret))) {
				if (text.includes(spelled)) leaks.push(`${form} in ${place}`);
			}
		}
	}
	return leaks;
}

/**
 * A secret as services, browsers and programs write it, and its longest pieces: a secret that is cut is no secret kept.
 *
 * @param secret the plain text
 * @returns spellings by name
 */
export function spellingsOf(secret: string): Record<string, string> {
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
		'in HTML': secret
			.replaceAll('&', '&amp;')
			.replaceAll('<', '&lt;')
			.replaceAll('>', '&gt;')
			.replaceAll('"', '&quot;'),
		'in Base64': base64(secret, 0),
		'in Base64 after a byte': base64(secret, 1),
		'in Base64 after two bytes': base64(secret, 2),
		'in Base64 for URLs': base64(secret, 0).replaceAll('+', '-').replaceAll('/', '_'),
		'in hex': Buffer.from(secret).toString('hex'),
		'first half': secret.slice(0, Math.ceil(secret.length / 2)),
		'second half': secret.slice(Math.floor(secret.length / 2)),
	};
}

/** The characters of Base64 that stand for the secret alone when so many bytes go before it. */
function base64(secret: string, before: number): string {
	const bytes = Buffer.concat([Buffer.alloc(before, 'x'), Buffer.from(secret)]);
	const text = bytes.toString('base64').replaceAll('=', '');
	const first = Math.ceil((before * 8) / 6);
	return text.slice(first, Math.floor((bytes.length * 8) / 6));
}
