import type { RequestFailure } from '../errors/failure';
import type { Outcome } from '../responses/outcome';
import type { Body } from '../responses/parseBody';
import { describeBody } from '../responses/serviceMessage';
import { isRecord } from '../responses/shapes';

/** Why a body is not what was asked for. */
export function toFailure(body: Body, expected: string, outcome?: Outcome): RequestFailure {
	if (body.kind === 'html') return { kind: 'html', title: body.title };
	if (body.kind === 'invalidJson') return { kind: 'invalidJson', reason: body.reason };
	return { kind: 'unexpected', expected, received: describeBody(body, outcome) };
}

/** What stands beside the entries of a list: some can be there although the list failed. */
export function omitEntries(value: unknown, entries: unknown[] | undefined): unknown {
	if (!isRecord(value)) return value === entries ? [] : value;
	const others = Object.entries(value).filter(([, held]) => held !== entries);
	return Object.fromEntries(others.map(([key, held]) => [key, omitEntries(held, entries)]));
}
