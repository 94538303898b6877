import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { Agent, request } from 'undici';
import { runNode, runPoll } from '../../support/engine.cts';
import { useService } from '../../support/service.cts';

const service = useService();

const findCode = (email: string) => {
	const names = existsSync(service.mails) ? readdirSync(service.mails).sort().reverse() : [];
	const mails = names.map((name) => readFileSync(join(service.mails, name), 'latin1'));
	const mail = mails.find((text) => text.includes(email));
	return /^(\d{8})\r?$/m.exec(mail ?? '')?.[1];
};

/** Somebody opens a container in a browser: with the code that comes by mail. */
async function open(id: string, email: string) {
	const dispatcher = new Agent({ connect: { ca: service.ca } });
	const post = async (step: string, fields: Record<string, string>) => {
		const { statusCode } = await request(`${service.origin}/c/${id}/${step}`, {
			method: 'POST',
			headers: { 'content-type': 'application/x-www-form-urlencoded' },
			body: new URLSearchParams(fields).toString(),
			dispatcher,
		});
		return statusCode;
	};
	await post('code', { email });
	let code = findCode(email);
	for (let tries = 0; code === undefined && tries < 100; tries += 1) {
		await new Promise((resolve) => setTimeout(resolve, 50));
		code = findCode(email);
	}
	const status = await post('open', { email, code: code ?? '' });
	await dispatcher.close();
	return status;
}

it('who opens a container, and who is refused, starts the workflow once', async () => {
	const { credentials } = service;
	let staticData: Record<string, Record<string, unknown>> = {};
	const poll = async (event: string) => {
		const parameters = { event, nameContains: 'offer' };
		const polled = await runPoll({ parameters, credentials, staticData: staticData[event] });
		expect(polled.error?.message).toBeUndefined();
		// As if n8n was restarted in between.
		staticData = structuredClone({ ...staticData, [event]: polled.staticData });
		return (polled.items?.[0] ?? []).map(({ json }) => json);
	};
	const recipients = ['anna@example.com', 'bob@example.com', 'carl@example.com'];
	const offer = await service.addContainer({ name: 'Offer', rules: { recipients, opens: 1 } });
	const other = await service.addContainer({ name: 'Other', rules: { recipients } });
	for (const event of ['containerOpened', 'accessRefused']) expect(await poll(event)).toEqual([]);

	await open(other, 'carl@example.com');
	await open(offer, 'anna@example.com');
	await open(offer, 'bob@example.com');

	const about = { containerId: offer, container_id: offer, container_name: 'Offer' };
	expect(await poll('containerOpened')).toMatchObject([
		{ ...about, action: 'container.open', user: 'anna@example.com' },
	]);
	const reason = { reason: 'opens' };
	expect(await poll('accessRefused')).toMatchObject([
		{ ...about, action: 'container.refuse', user: 'bob@example.com', detail: reason },
	]);
	for (const event of ['containerOpened', 'accessRefused']) expect(await poll(event)).toEqual([]);

	const getActivity = async (parameters: INodeParameters) => {
		const activity = { resource: 'container', operation: 'getActivity', ...parameters };
		const { items, error } = await runNode({ parameters: activity, credentials });
		expect(error?.message).toBeUndefined();
		return items.map(({ json }) => [json.action, json.containerId]);
	};
	expect(await getActivity({})).toEqual([
		['container.refuse', offer],
		['container.open', offer],
		['container.open', other],
	]);
	const one = { containers: 'one', containerId: other, actions: ['created', 'opened'] };
	expect(await getActivity({ ...one, limit: 1 })).toEqual([['container.open', other]]);
	expect(await getActivity({ ...one, returnAll: true })).toHaveLength(2);
});
