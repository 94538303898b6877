/** A port of the loopback interface that nothing listens on. */
export async function getFreePort(): Promise<number> {
	// tsx can load an ES module such as get-port only with import().
	const { default: getPort } = await import('get-port');
	return await getPort({ host: '127.0.0.1' });
}
