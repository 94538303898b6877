const node = 'nodes/EncryptedContainers';
const unit = 'test/unit/EncryptedContainers';
const encode = 'resources/container/encode';

/** Tests of properties try so many inputs that they take much longer than the others. */
const withoutProperties = '!(*.properties).test.cts';

/** Tests of all operations. */
const ofOperations = ['test/engine/*.test.cts', 'test/engine/retryOnFail', `${unit}/*.test.cts`];

/** The files of Encode that read and send files. */
const files = ['fileNames', 'multipartForm', 'sourceFiles'];

const shared = (name) => ({
	paths: [`nodes/shared/${name}`],
	tests: [`test/unit/shared/${name}/**/${withoutProperties}`],
});

/** What is changed together, and the tests that are nearest to it. */
export const rooms = {
	credentials: {
		paths: ['credentials'],
		tests: ['test/unit/credentials', 'test/engine/credential.test.cts'],
	},
	errors: shared('errors'),
	parameters: {
		paths: ['nodes/shared/parameters', `${node}/parameters`],
		tests: [...shared('parameters').tests, `${unit}/parameters`],
	},
	responses: shared('responses'),
	api: shared('api'),
	client: shared('client'),
	execution: {
		paths: [`${node}/execution`, `${node}/EncryptedContainers.node.ts`],
		tests: [`${unit}/execution`, 'test/engine/contact', ...ofOperations],
	},
	listSearch: { paths: [`${node}/listSearch`], tests: ['test/engine/listSearch.test.cts'] },
	resources: {
		paths: [`${node}/resources/*.ts`, `${node}/resources/user`],
		tests: ofOperations,
	},
	contact: {
		paths: [`${node}/resources/contact`],
		tests: [`${unit}/resources/contact`, 'test/engine/contact', ...ofOperations],
	},
	container: {
		paths: [`${node}/resources/container/*.ts`],
		tests: ['test/engine/container/*.test.cts', ...ofOperations],
	},
	// Tests of large uploads, many items and object stores take long and notice nothing more.
	encode: {
		paths: [`${node}/${encode}/*.ts`, `!${node}/${encode}/{${files.join()}}*.ts`],
		tests: [
			`${unit}/${encode}`,
			'test/engine/container/encode/!(large*|many*|objectStore*).test.cts',
			...ofOperations,
		],
	},
	files: {
		paths: files.map((name) => `${node}/${encode}/${name}.ts`),
		tests: [
			`${unit}/${encode}`,
			'test/engine/container/encode/!(large*|many*|objectStore*).test.cts',
		],
	},
	drm: {
		paths: [`${node}/resources/drm`],
		tests: [`${unit}/resources/drm`, 'test/engine/drm', ...ofOperations],
	},
	trigger: {
		paths: ['nodes/EncryptedContainersTrigger'],
		tests: ['test/unit/EncryptedContainersTrigger', 'test/engine/trigger'],
	},
};
