import { waitFor } from '../../../tools/processes.cts';

/**
 * Follows a submitted form to its last page, and ends the execution, like the scripts of its pages.
 * @param submitted the response to the form
 */
export async function lastPage(submitted: Response, timeoutMs = 60_000): Promise<string> {
	if (!submitted.ok) throw new Error(`The form was refused: ${await submitted.text()}`);
	const { formWaitingUrl } = (await submitted.json()) as { formWaitingUrl: string };
	const ask = async (url: URL, method = 'GET') =>
		await (await fetch(url, { method, signal: AbortSignal.timeout(30_000) })).text();
	const page = new URL(formWaitingUrl);
	const state = new URL(formWaitingUrl);
	state.pathname += '/n8n-execution-status';
	const isLast = async () => (await ask(state)) === 'form-waiting';
	await waitFor(isLast, timeoutMs, 'The form has no last page.');
	const text = await ask(page);
	await ask(page, 'POST');
	return text;
}

/** Clicks a button of an email that asks for approval, as a browser does. */
export async function answerEmail(message: string, approved: boolean): Promise<void> {
	const links = [...message.matchAll(/https?:\/\/[^"\s<>]+/g)].map(([link]) =>
		link.replaceAll('&amp;', '&'),
	);
	const link = links.find((one) => one.includes(`approved=${approved}`)) ?? 'none';
	const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
	// n8n 1 signs the whole address, with the host.
	const click = async () => await fetch(link, { headers: { 'user-agent': agent } });
	// n8n sends the email a moment before the execution waits.
	await waitFor(async () => (await click()).ok, 30_000, 'n8n does not accept the answer.');
}
