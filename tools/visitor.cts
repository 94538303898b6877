export type Page = Awaited<ReturnType<Visitor['get']>>;
export type Visitor = ReturnType<typeof createVisitor>;

/** Who opens a container in a browser, with a session of their own. This process must trust the service. */
export function createVisitor(url: string) {
	let cookie = '';
	const send = async (path: string, fields?: Record<string, string>) => {
		const response = await fetch(url + path, {
			method: fields ? 'POST' : 'GET',
			body: fields && new URLSearchParams(fields),
			headers: { cookie },
			redirect: 'manual',
		});
		const [started] = response.headers.getSetCookie();
		if (started !== undefined) cookie = started.split(';')[0];
		const content = Buffer.from(await response.arrayBuffer());
		const text = content
			.toString()
			.replace(/<[^>]+>/g, ' ')
			.replace(/\s+/g, ' ');
		return { status: response.status, content, text };
	};
	return {
		get: async (path = '') => await send(path),
		requestCode: async (email: string) => await send('/code', { email }),
		/** Returns the page with the files, or the one that refuses. */
		enterCode: async (email: string, code: string) => {
			const page = await send('/open', { email, code });
			return page.status === 303 ? await send('') : page;
		},
	};
}
