/** Bodies that are JSON, or nearly so, and that every client must survive. */
const HOSTILE_BODIES = {
	/** Keys that change the prototype of an object when they are copied carelessly. */
	proto: () =>
		'{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"uuid":"1","container":{"__proto__":{"polluted":true},"uuid":"1","name":"x"}}',
	protoList: () => '[{"__proto__":{"polluted":true},"uuid":"1","email":"a@example.com"}]',
	deep: () => `${'[{"a":'.repeat(50_000)}1${'}]'.repeat(50_000)}`,
	deepArray: () => `${'['.repeat(200_000)}${']'.repeat(200_000)}`,
	/** 50 MB of valid JSON. */
	huge: () => JSON.stringify([{ uuid: '1', name: 'x'.repeat(50 * 1024 * 1024) }]),
	hugeList: () =>
		`[${Array(500_000)
			.fill(JSON.stringify({ uuid: '1', name: 'x'.repeat(70) }))
			.join(',')}]`,
	nullList: () => '[null,{"uuid":"1","name":"x","email":"a@example.com"},null,7,"text",[]]',
	numericIds: () =>
		'[{"uuid":1234567890123,"name":42,"email":7},{"org_id":5,"container":{"uuid":6,"name":null}}]',
	numericId: () => '{"org_id":5,"container":{"uuid":6,"name":7},"uuid":6,"id":8,"name":9}',
	null: () => 'null',
	number: () => '42',
	text: () => '"text"',
	boolean: () => 'true',
	emptyObject: () => '{}',
	emptyList: () => '[]',
	blank: () => '   ',
	byteOrderMark: () => '\uFEFF{"uuid":"1"}',
} as const;

export type HostileBody = keyof typeof HOSTILE_BODIES;

export const HOSTILE_BODY_NAMES = Object.keys(HOSTILE_BODIES) as HostileBody[];

export function hostileBody(name: HostileBody): string {
	return HOSTILE_BODIES[name]();
}
