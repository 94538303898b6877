const node = 'nodes/EncryptedContainers';
const trigger = 'nodes/EncryptedContainersTrigger';

/** What the description says of each operation. */
const descriptions = ['test/unit/EncryptedContainers/forms.test.cts'];

const encode = `${node}/resources/container/encode`;

/** The files of Encode that read and send files. */
const files = [
	'binaryFields',
	'fileNames',
	'gcPressure',
	'listSome',
	'mediaTypes',
	'multipartForm',
	'sourceFiles',
];

/** Tests of properties try so many inputs that they take much longer than the others. */
const withoutProperties = '!(*.properties).test.cts';

/** What is changed together, and the tests that are nearest to it. */
export const rooms = {
	credentials: {
		paths: ['credentials'],
		tests: ['test/unit/credentials', 'test/engine/credential.test.cts'],
	},
	errors: { paths: ['nodes/shared/errors'], tests: ['test/unit/shared/errors'] },
	parameters: {
		paths: ['nodes/shared/parameters', `${node}/parameters`],
		tests: [
			`test/unit/shared/parameters/${withoutProperties}`,
			'test/unit/EncryptedContainers/parameters',
		],
	},
	responses: {
		paths: ['nodes/shared/responses'],
		tests: [`test/unit/shared/responses/${withoutProperties}`],
	},
	api: { paths: ['nodes/shared/api'], tests: ['test/unit/shared/api'] },
	client: { paths: ['nodes/shared/client'], tests: ['test/unit/shared/client'] },
	execution: {
		paths: [`${node}/execution`, `${node}/EncryptedContainers.node.ts`],
		tests: [
			'test/unit/EncryptedContainers/execution',
			...[
				'settings',
				'stopping',
				'contract',
				'credentialExpressions',
				'users',
				'description',
				'tool',
				'contact/sync',
				'contact/syncDeletions',
				'contact/upsert',
				'proxy',
				'tls',
				'operations',
			].map((name) => `test/engine/${name}.test.cts`),
			'test/engine/retryOnFail',
		],
	},
	listSearch: {
		paths: [`${node}/listSearch`],
		tests: ['test/engine/listSearch.test.cts'],
	},
	resources: {
		paths: [`${node}/resources/*.ts`, `${node}/resources/user`],
		tests: [
			...[
				'contract',
				'description',
				'subtitles',
				'contact/upsert',
				'lists',
				'operations',
				'records',
				'retryOnFail/changes',
			].map((name) => `test/engine/${name}.test.cts`),
		],
	},
	contact: {
		paths: [`${node}/resources/contact`],
		tests: [
			...descriptions,
			'test/unit/EncryptedContainers/resources/contact',
			'test/engine/contact',
			'test/engine/concurrency.test.cts',
			'test/engine/retryOnFail/changes.test.cts',
		],
	},
	container: {
		paths: [`${node}/resources/container/*.ts`],
		tests: [...descriptions, 'test/engine/container/*.test.cts', 'test/engine/records.test.cts'],
	},
	// Tests of large uploads, many items and object stores take long and notice nothing more.
	encode: {
		paths: [`${encode}/*.ts`, `!${encode}/{${files.join()}}*.ts`],
		tests: [
			...descriptions,
			...[
				'allItems',
				'files',
				'ifContainerExists',
				'inputs',
				'manifest',
				'passwordInNames',
				'reuse',
			].map((name) => `test/engine/container/encode/${name}.test.cts`),
			'test/engine/operations.test.cts',
			'test/engine/retryOnFail/encode.test.cts',
			'test/engine/tool.test.cts',
		],
	},
	files: {
		paths: files.map((name) => `${encode}/${name}.ts`),
		tests: [
			'test/unit/EncryptedContainers/resources/container/encode',
			...['files', 'inputs', 'uploadFailures'].map(
				(name) => `test/engine/container/encode/${name}.test.cts`,
			),
		],
	},
	drm: {
		paths: [`${node}/resources/drm`],
		tests: [
			...descriptions,
			'test/unit/EncryptedContainers/resources/drm',
			'test/engine/drm',
			'test/engine/concurrency.test.cts',
			'test/engine/retryOnFail/changes.test.cts',
		],
	},
	trigger: {
		paths: [trigger],
		// Those that poll thousands of records notice nothing more.
		tests: [
			'test/unit/EncryptedContainersTrigger',
			'test/engine/trigger/events',
			...[
				'days',
				'errors',
				'items',
				'lists',
				'missing',
				'pollState',
				'requests',
				'testInEditor',
				'unfinished',
				'unreadable',
			].map((name) => `test/engine/trigger/${name}.test.cts`),
		],
	},
};
