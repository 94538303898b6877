import { updateDisplayOptions, UserError, type IDataObject } from 'n8n-workflow';

import { assertFeature } from '../../../shared/api/features';
import { withRequestLink } from '../../../shared/api/links';
import { expectRecord, readRecord } from '../../../shared/api/records';
import { acceptObject } from '../../../shared/client/accept';
import type { ServiceRequest } from '../../../shared/client/client';
import { endpoints } from '../../../shared/client/endpoints';
import { numberOption, simpleField } from '../../../shared/descriptions/options';
import { MAX_DAYS, parseDate } from '../../../shared/parameters/dates';
import { emptyError } from '../../../shared/parameters/values';
import { choiceField, recipientOptions } from '../../descriptions/commonFields';
import { defineOperation } from '../../execution/defineOperation';
import type { Item } from '../../execution/item';
import { getGuardrails } from '../../parameters/guardrails';
import {
	assertCovered,
	assertRecipientsAllowed,
	parseRecipients,
} from '../../parameters/recipients';
import { getCreation } from '../commonOperations';

/** docs/openapi.yaml, NewFileRequest. */
const MAX_MESSAGE = 1000;
const BYTES_OF_MEGABYTE = 1_000_000;

const nameField = simpleField(
	['Request Name', 'name', ''],
	'What it is about. Senders see it, and the containers that come have this name.',
	{ required: true, placeholder: 'e.g. Documents for your tax return' },
);

const sendersField = simpleField(
	['Senders', 'senders', ''],
	'Email addresses of who can send files, separated by commas. *@example.com means everyone at example.com. They get no email from the service: send them the link.',
	{ required: true, placeholder: 'e.g. anna@example.com, *@example.org' },
);

const messageField = simpleField(
	['Message', 'message', ''],
	`What senders read above the form, at most ${MAX_MESSAGE} characters`,
	{ typeOptions: { rows: 3 }, placeholder: 'e.g. Please send us the receipts, too.' },
);

const requestEndsField = choiceField(
	['Request Ends', 'requestEnds', 'afterDays'],
	{
		afterDays: ['After a Number of Days', 'People can send files for a number of days from today'],
		onDate: ['On a Date', 'People can send files up to and including a day'],
		never: ['Never', 'People can send files until somebody closes the request'],
	},
	'When people can no longer send files',
);

const requestDaysField = numberOption(
	['Days Until Request Ends', 'requestDays', 14],
	[0, MAX_DAYS],
	'How many days from today it ends. 0 means that today is the last day.',
);

const timeEndField = simpleField(
	['Open Until', 'timeEnd', ''],
	'Last day to send files, in the time zone of the service',
	{ type: 'dateTime', typeOptions: { dateOnly: true } },
);

const deliveriesOption = numberOption(
	['Max Deliveries', 'deliveries', 100],
	[1],
	'How often all senders together can send files',
);
const maxFilesOption = numberOption(
	['Max Files', 'maxFiles', 100],
	[1, 1000],
	'Files of one delivery',
);
const maxMegabytesOption = numberOption(
	['Max Size (MB)', 'maxMegabytes', 1000],
	[1],
	'Of all files of one delivery together',
);

/** Asks people for files (docs/openapi.yaml, createRequest). */
export const createRequest = defineOperation<IDataObject>({
	name: 'Create',
	value: 'create',
	action: 'Create a file request',
	description: 'Create a link by which people send you files, encrypted into containers of yours',
	routing: { request: endpoints.createRequest },
	fields: [
		nameField,
		sendersField,
		messageField,
		requestEndsField,
		...updateDisplayOptions({ show: { requestEnds: ['afterDays'] } }, [requestDaysField]),
		...updateDisplayOptions({ show: { requestEnds: ['onDate'] } }, [timeEndField]),
	],
	options: [...recipientOptions, deliveriesOption, maxFilesOption, maxMegabytesOption],
	async parse(item) {
		item.errorFields.name = item.getParameter('name') as string;
		const name = item.read(nameField).replace(/\s+/g, ' ');
		const senders = parseSenders(item);
		const body: IDataObject = { name, senders, ...parseLimits(item) };
		const message = parseMessage(item);
		if (message !== '') body.message = message;
		const end = await parseEnd(item);
		if (end !== undefined) body.time = { end };
		return body;
	},
	send: async (item, body) => [await sendRequest(item, body)],
});

/** @throws UserError for nobody, and for whom the node or the credential doesn't allow */
function parseSenders(item: Item): string[] {
	const { displayName: label } = sendersField;
	const senders = parseRecipients(item.getParameter('senders'), label);
	if (senders.length === 0) throw emptyError(label, `Enter at least one address in "${label}".`);
	assertRecipientsAllowed(item, senders, sendersField);
	assertCovered(senders, getGuardrails(item.client).allowedRecipients, 'credential');
	return senders;
}

/** What was added: the service knows what the others are. */
function parseLimits(item: Item): IDataObject {
	const limits: IDataObject = {};
	if (item.has(maxFilesOption)) limits.max_files = item.read(maxFilesOption);
	if (item.has(maxMegabytesOption)) {
		limits.max_bytes = item.read(maxMegabytesOption) * BYTES_OF_MEGABYTE;
	}
	if (item.has(deliveriesOption)) limits.deliveries = item.read(deliveriesOption);
	return limits;
}

function parseMessage(item: Item): string {
	const message = item.read(messageField);
	if (message.length <= MAX_MESSAGE) return message;
	const { displayName: label } = messageField;
	throw new UserError(`"${label}" has more than ${MAX_MESSAGE} characters`, {
		description: `Nothing was sent. It has ${message.length}. Enter a shorter one in "${label}".`,
	});
}

async function parseEnd(item: Item): Promise<string | undefined> {
	const ends = item.read(requestEndsField);
	if (ends === 'never') return undefined;
	const calendar = await item.getCalendar();
	if (ends === 'afterDays') return calendar.getDayIn(item.read(requestDaysField));
	const { displayName: label } = timeEndField;
	const end = parseDate(item.evaluate(timeEndField), label, item.timeZone);
	calendar.assertNotPast(end, label, 'To end a request, use File Request > Close.');
	return end;
}

async function sendRequest(item: Item, body: IDataObject): Promise<IDataObject> {
	const { client } = item;
	await assertFeature(client, 'requests');
	const declared = await getCreation(item);
	const request: ServiceRequest = {
		...declared,
		action: 'create the file request',
		json: body,
		subject: { recordName: String(body.name), creates: 'request' },
		expected: expectRecord('request'),
	};
	const { object } = await client.request(request, acceptObject);
	const { id = '' } = readRecord('request', object);
	item.noteCreated(`file request ${id}`);
	return await withRequestLink(client, id, object);
}
