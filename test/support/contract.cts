import { findRequestViolations, type SentRequest } from '../../tools/contract.cts';

/** Checks all requests of each test of a file or describe block. */
export interface ContractCheck {
	add(request: SentRequest): void;
	/** Checks the requests of this test without their bodies. */
	skipBodies(reason: string): void;
}

/** A test fails if it sends a request that docs/openapi.yaml doesn't allow. */
export function checkContract(): ContractCheck {
	const sent: SentRequest[] = [];
	let skipsBodies = false;

	const find = () => {
		const found = sent.flatMap((request) => {
			const violations = findRequestViolations(request);
			const counted = violations.filter((text) => !skipsBodies || !text.startsWith('body'));
			return counted.map((violation) => `${request.method} ${request.path}: ${violation}`);
		});
		return [...new Set(found)];
	};

	beforeEach(() => {
		sent.length = 0;
		skipsBodies = false;
	});
	afterEach(() => {
		const violations = find();
		if (violations.length === 0) return;
		throw new Error(`Sent, but not allowed by docs/openapi.yaml:\n${violations.join('\n')}`);
	});
	return {
		add: (request) => void sent.push(request),
		skipBodies: (reason) => (skipsBodies = reason !== ''),
	};
}
