import type { IDataObject } from 'n8n-workflow';
import type { startEditorEnvironment } from './environment.cts';
import { readMails, waitForMail } from './mails.cts';
import { createVisitor } from './visitor.cts';

const DAY_MS = 86_400_000;
const ADA = 'ada.lindqvist@example.com';
const CUSTOMERS = ['Lindqvist', 'Baker', 'Carter', 'Cooper', 'Fisher', 'Miller', 'Smith', 'Turner'];
const NAMES = ['Ada', 'Ben', 'Chloe'];

type Environment = Pick<Awaited<ReturnType<typeof startEditorEnvironment>>, 'service' | 'client'>;

/** Contacts and containers, so that each example has something to show. This process must trust the service. */
export async function addDevData({ service, client }: Environment): Promise<void> {
	for (const last of CUSTOMERS) {
		for (const first of NAMES) {
			const email = `${first}.${last}@example.com`.toLowerCase();
			await client.addContact(email, { first_name: first, last_name: last, company: `${last} AB` });
		}
	}
	const add = async (name: string, rules: IDataObject, ageInDays = 0) => {
		const id = await client.addContainer({ name, rules, text: `This is ${name}.` });
		const date = new Date(Date.now() - ageInDays * DAY_MS);
		if (ageInDays > 0) service.setCreatedDate(id, date);
		return id;
	};
	for (const [index, last] of CUSTOMERS.entries()) {
		const recipients = [`ada.${last}@example.com`.toLowerCase()];
		await add(`Contract for ${last} AB`, { recipients, time: { end: toDay(30 + index) } });
	}
	for (const days of [100, 200, 300])
		await add(`Report of ${toDay(-days)}`, { recipients: [ADA] }, days);
	for (const days of [1, 3])
		await add(`Offer until ${toDay(days)}`, { recipients: [ADA], time: { end: toDay(days) } });
	const end = toDay(30);
	await add('Offer that nobody has opened', { recipients: [ADA], time: { end } }, 3);
	await add('Price list for all of example.com', { recipients: ['*@example.com'] });
	await open(service, await add('Minutes that Ada has opened', { recipients: [ADA], opens: 3 }));
}

async function open({ baseUrl, mails }: Environment['service'], id: string): Promise<void> {
	const visitor = createVisitor(new URL(`/c/${id}`, baseUrl).href);
	const { length } = await readMails(mails);
	await visitor.requestCode(ADA);
	const { code } = await waitForMail(mails, length);
	await visitor.enterCode(ADA, code);
}

const toDay = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
