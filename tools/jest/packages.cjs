/** Loads packages as Node.js does, once for each process: see environment.cjs. */
module.exports = {
	process: (_source, file) => ({
		code: `module.exports = requirePackage(${JSON.stringify(file)});`,
	}),
};
