import { UserError, type INodeProperties } from 'n8n-workflow';

import {
	covers,
	isForEverybody,
	isWildcard,
	parseAddresses,
	toAddressKey,
} from '../../shared/parameters/addresses';
import type { Parameters } from '../../shared/parameters/fields';
import { emptyError, isExpression, listSome } from '../../shared/parameters/values';
import { isObject } from '../../shared/responses/shapes';
import { allowedRecipientsField, allowWildcardsField } from '../descriptions/commonFields';

const { displayName: ALLOWED } = allowedRecipientsField;
const { displayName: ALLOW_WILDCARDS } = allowWildcardsField;

export type LabeledField = Pick<INodeProperties, 'name' | 'displayName'>;

/** An address or a wildcard, as its key: other signs can stand for a wildcard, an escape or another @ somewhere. */
const PLAIN = /^(?!.*%[\da-f]{2})[\p{L}\p{M}\p{Nd}!#$%&'*+./=_~-]+@[\p{L}\p{M}\p{Nd}*._-]+$/u;
/** What the service takes: an address, or everybody at a domain (docs/openapi.yaml, Recipient). */
const RECIPIENT = /^([^*@]+|\*)@[^*@]+$/;
/** Nobody gets email at `anna@example`. */
const WHOLE_DOMAIN = /@([^.@]+(\.[^.@]+)+|[^@*]*\*[^@]*)$/;

/** @throws UserError naming the first entry that is neither an address nor everybody at a domain */
export function parseRecipients(value: unknown, label: string): string[] {
	const addresses = parseAddressPatterns(value, label);
	assertRecipients(addresses, label);
	return addresses;
}

/** Recipients, and wildcards with which they are compared: `*@*.example.com`. @throws UserError for one for everybody */
export function parseAddressPatterns(value: unknown, label: string): string[] {
	const addresses = parseAddresses(value, label);
	assertPlain(addresses, label);
	return addresses;
}

/** @throws UserError for an empty list, which would allow nobody, and for a wildcard for everybody */
export function parseAllowedRecipients(value: unknown, label = ALLOWED): string[] {
	const allowed = parseAddressPatterns(value, label);
	if (allowed.length > 0) return allowed;
	throw emptyError(label, `Enter at least one address or wildcard in "${label}", or remove it.`);
}

/** @throws UserError naming those whom the options don't allow: wildcards only where they are typed in the field */
export function assertRecipientsAllowed(
	parameters: Parameters,
	recipients: string[],
	{ name, displayName: label }: LabeledField,
): void {
	assertPlain(recipients, label);
	assertRecipients(recipients, label);
	const allowsWildcards = parameters.read(allowWildcardsField);
	if (parameters.has(allowedRecipientsField)) {
		const allowed = parseAllowedRecipients(parameters.evaluate(allowedRecipientsField));
		return assertCovered(recipients, allowed, 'node');
	}
	const typed = new Set(listTypedEntries(parameters.getRaw(name)).map(toAddressKey));
	const returned = recipients.filter(isWildcard).filter((entry) => !typed.has(toAddressKey(entry)));
	if (allowsWildcards || returned.length === 0) return;
	throw new UserError(`An expression in "${label}" returned ${listNames(returned)}`, {
		description: `A wildcard gives access to more than one person, and whoever fills in the input could enter it. Enter whom the node may give access to in the option "${ALLOWED}", or turn on the option "${ALLOW_WILDCARDS}".`,
	});
}

/** @throws UserError naming the first entry that is for everybody, for nobody, or that services could take for somebody else */
function assertPlain(addresses: string[], label: string): void {
	const wrong = addresses.find((address) => isForEverybody(address) || !isPlain(address));
	if (wrong === undefined) return;
	const problem = isForEverybody(wrong) ? 'stands for everybody' : 'is not an email address';
	throw new UserError(`"${wrong.slice(0, 100)}" in "${label}" ${problem}`, {
		description: `Nothing was sent. Enter an address with its whole domain such as anna@example.com, or a wildcard such as *@example.com, in "${label}".`,
	});
}

function assertRecipients(addresses: string[], label: string): void {
	const wrong = addresses.find((address) => !RECIPIENT.test(toAddressKey(address)));
	if (wrong === undefined) return;
	throw new UserError(
		`"${wrong.slice(0, 100)}" in "${label}" is a wildcard that no recipient can have`,
		{
			description: `Nothing was sent. In "${label}", enter an address such as anna@example.com, or *@example.com for everybody at a domain. For a subdomain, add a recipient such as *@eu.example.com.`,
		},
	);
}

/** @param place whose limit it is, `node` or `credential` */
export function assertCovered(
	recipients: string[],
	allowed: string[] | undefined,
	place: string,
): void {
	const others = listNotCovered(recipients, allowed);
	if (allowed === undefined || others.length === 0) return;
	throw new UserError(`"${ALLOWED}" in the ${place} doesn't allow ${listNames(others)}`, {
		description: `Nothing was sent. "${ALLOWED}" in the ${place} allows only ${listNames(allowed)}. Whoever can edit the ${place} can change it.`,
	});
}

/** The recipients that no allowed address or wildcard covers. @param allowed undefined for everybody */
export function listNotCovered(recipients: string[], allowed: string[] | undefined): string[] {
	if (allowed === undefined) return [];
	const isAllowed = covers(allowed);
	return recipients.filter((entry) => !isPlain(entry) || !isAllowed(entry));
}

/** Whether it is one address or wildcard: "mallory@x.example <anna@example.com>" could be read as another. */
function isPlain(entry: string): boolean {
	const isOne = entry.normalize('NFKC').split('@').length === 2;
	return isOne && WHOLE_DOMAIN.test(entry) && PLAIN.test(toAddressKey(entry));
}

/** The entries of a field that somebody typed: not those of an expression, or in part of one. */
function listTypedEntries(raw: unknown): string[] {
	if (isObject(raw)) return Object.values(raw).flatMap(listTypedEntries);
	if (typeof raw !== 'string') return [];
	const [first, ...others] = isExpression(raw) ? raw.slice(1).split('{{') : [raw];
	const typed = others.map((part) => part.split('}}').slice(1).join());
	// The sign stands for the value of an expression.
	return [first, ...typed].join('\uFFFC').split(/[\s,;"'<>[\]{}]+/);
}

function listNames(addresses: string[]): string {
	return listSome(addresses.map((address) => `"${address.slice(0, 100)}"`));
}
