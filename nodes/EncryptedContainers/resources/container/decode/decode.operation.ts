import type { IBinaryData, IDataObject } from 'n8n-workflow';

import { assertFeature } from '../../../../shared/api/features';
import { withLink } from '../../../../shared/api/links';
import { isSet } from '../../../../shared/api/shownRules';
import { acceptContent, acceptObject } from '../../../../shared/client/accept';
import type { ServiceRequest } from '../../../../shared/client/client';
import { endpoints, toRequest } from '../../../../shared/client/endpoints';
import { simpleField } from '../../../../shared/descriptions/options';
import { parseShortText } from '../../../../shared/parameters/values';
import { containerLocator, createNotice } from '../../../descriptions/commonFields';
import { PASSWORD_LABEL } from '../../../descriptions/ruleFields';
import { defineOperation } from '../../../execution/defineOperation';
import type { Item } from '../../../execution/item';
import { FileOutput } from '../../../execution/operation';
import { assertDecodeAllowed } from '../../../parameters/guardrails';
import { FileDownload } from './fileDownload';
import {
	assertNoTool,
	chooseFiles,
	HAS_FILES,
	listStoredFiles,
	parseFileNames,
} from './storedFiles';
import type { FileNames, StoredFile } from './storedFiles';

const fileNamesField = simpleField(
	['File Names', 'fileNames', ''],
	'Which files to download, separated by commas. * stands for any characters, ? for one. If empty, all.',
	{ placeholder: 'e.g. *.pdf, contract.docx' },
);

const passwordField = simpleField(
	[PASSWORD_LABEL, 'password', ''],
	'Only for a container that has one',
	{ typeOptions: { password: true } },
);

const outputField = simpleField(
	['Put Output File in Field', 'binaryPropertyName', 'data'],
	'The same for each file: each is an item of its own',
	{ required: true, hint: 'The name of the output field to put the file in' },
);

interface DecodeInput {
	containerId: string;
	fileNames: FileNames;
	password?: string;
	fieldName: string;
}

/** Downloads files into n8n, one item for each (docs/openapi.yaml, getContainer, decodeFile). */
export const decodeFiles = defineOperation<DecodeInput>({
	name: 'Download Files (Decode)',
	value: 'decode',
	action: 'Download (decode) files of a container',
	description: 'Get files of your own containers back, also those that were sent to you',
	routing: { request: endpoints.decodeFile },
	alsoSends: [endpoints.getContainer],
	pathFields: [containerLocator],
	fields: [
		createNotice(
			'decodeToolNotice',
			"A file can't reach a model: as a tool, this returns an error.",
		),
		fileNamesField,
		passwordField,
		outputField,
	],
	parse(item) {
		assertNoTool(item);
		assertDecodeAllowed(item.client);
		const containerId = item.parsePathParam(containerLocator);
		const fileNames = parseFileNames(item, fileNamesField);
		const password = parseOwnPassword(item);
		return { containerId, fileNames, password, fieldName: item.read(outputField) };
	},
	async send(item, input) {
		await assertFeature(item.client, 'decode');
		const { record, files } = await fetchFiles(item, input);
		const outputs: FileOutput[] = [];
		// One after the other: of a container that fails, n8n keeps no more than it has to.
		for (const file of files) outputs.push(await download(item, input, { record, file }));
		return outputs;
	},
});

/** Not trimmed. Of the containers in a table, not all have one, and the service says which do. */
function parseOwnPassword(item: Item): string | undefined {
	const value = item.evaluate(passwordField);
	if (!isSet(value)) return undefined;
	const password = parseShortText(value, PASSWORD_LABEL);
	item.hide([password]);
	return password;
}

async function fetchFiles(item: Item, { containerId, fileNames }: DecodeInput) {
	const subject = { containerId };
	const request: ServiceRequest = {
		...toRequest(endpoints.getContainer, subject),
		action: 'get the files of the container',
		subject,
		expected: HAS_FILES,
	};
	const { object: record } = await item.client.request(request, acceptObject);
	return { record, files: chooseFiles(item, listStoredFiles(record), fileNames) };
}

async function download(
	item: Item,
	{ containerId, password, fieldName }: DecodeInput,
	{ record, file }: { record: IDataObject; file: StoredFile },
): Promise<FileOutput> {
	const { client, host } = item;
	const subject = { containerId };
	const request: ServiceRequest = {
		...toRequest(endpoints.decodeFile, subject),
		json: { file: file.index, password },
		// Its length says whether it is whole.
		headers: { Accept: '*/*', 'Accept-Encoding': 'identity' },
		action: 'download a file of the container',
		subject,
		isRead: true,
		secrets: item.secrets,
		receiver: new FileDownload(host.context, file),
	};
	const content = await client.request(request, acceptContent<IBinaryData>);
	const { index, name, type, size, sha256 } = file;
	const shown = { file: index, name, type, size, sha256 };
	const { link } = await withLink(client, containerId, record);
	return new FileOutput({ containerId, ...shown, link }, { [fieldName]: content });
}
