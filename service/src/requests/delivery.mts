import { createContainer } from '../containers/createContainer.mts';
import type { Vault } from '../containers/vault.mts';
import { findRequestForUpdate, updateRequest } from '../database/fileRequests.mts';
import type { Queries } from '../database/schema.mts';
import { DeliveryError } from './deliveryError.mts';
import { RepeatedDelivery, refuseRepeated } from './repeatedDelivery.mts';
import type { FileRequest } from './request.mts';
import { scanFiles, type OpenScan } from './scan.mts';
import { openWithOwner, findSenderRefusal } from './senderAccess.mts';
import { checkLength, readSentFiles, type SentForm } from './sentForm.mts';

/** What comes is the owner's, and nobody else's. */
const RULES = { dynamic: true, recipients: [], downloadable: true };

export interface DeliveryOptions {
	/** Of one upload, whatever a request says. */
	maxUploadBytes: number;
	/** What is left for others: no delivery takes it. */
	keptFreeBytes: number;
	/** Sees each file before it is stored. */
	openScan?: OpenScan;
	/** Writes days in the time zone of the service. */
	calendar: Intl.DateTimeFormat;
}

export interface Delivery {
	/** As it was when the delivery began. */
	request: FileRequest;
	/** Their address, which a code proved. */
	sender: string;
	/** Whether something of theirs came before. */
	hasSent: boolean;
	ip: string;
	country?: string;
	form: SentForm;
}

/** Stores what somebody sends as a container of the owner: all of it, or nothing, and once. @throws DeliveryError */
export async function storeDelivery(vault: Vault, delivery: Delivery, options: DeliveryOptions) {
	const { request, sender, ip, country, form } = delivery;
	const limits = getLimits(request, options);
	// Before anything is read, unless it can be the same once more. What counts is the transaction.
	if (!delivery.hasSent && hasAllDeliveries(request)) throw new DeliveryError('used');
	checkLength(form, limits);
	await checkSpace(vault, options, form.contentLength);
	const about = { ownerId: request.owner_id, requestId: request.id, user: sender };
	const { openScan } = options;
	const files = readSentFiles(form, limits, async () => await checkSpace(vault, options));
	try {
		const created = await createContainer(vault, {
			...about,
			ip,
			manifest: { name: request.name, password: undefined, rules: RULES },
			files: openScan ? scanFiles(files, openScan) : files,
			confirm: async (queries, sent) => {
				const found = await confirmRequest(vault, queries, delivery, options);
				// Whoever sent the last one twice did send it.
				await refuseRepeated(vault, queries, { requestId: found.id, sender, files: sent });
				await countDelivery(queries, found);
			},
			onCreated: async ({ record, container }) => {
				const detail = { ip, country };
				await record({ ...about, container, action: 'request.deliver', detail });
			},
		});
		return { ...created, isRepeated: false };
	} catch (error) {
		if (error instanceof RepeatedDelivery) {
			return { container: error.container, files: [], isRepeated: true };
		}
		const isFull = (error as NodeJS.ErrnoException).code === 'ENOSPC';
		throw isFull ? new DeliveryError('full') : error;
	}
}

/** What is possible, by the request and by the service. */
export const getLimits = (
	{ settings }: FileRequest,
	{ maxUploadBytes }: Pick<DeliveryOptions, 'maxUploadBytes'>,
) => ({
	maxFiles: settings.max_files,
	maxBytes: Math.min(settings.max_bytes, maxUploadBytes),
});

/** @throws DeliveryError */
async function checkSpace({ storage }: Vault, options: DeliveryOptions, more = 0): Promise<void> {
	const free = await storage.getFreeBytes();
	if (free - more < options.keptFreeBytes) throw new DeliveryError('full');
}

/** Checks all once more in the transaction that stores it, since an upload can take hours. @throws DeliveryError */
async function confirmRequest(
	{ keys }: Vault,
	queries: Queries,
	{ request, sender: address }: Delivery,
	{ calendar }: DeliveryOptions,
): Promise<FileRequest> {
	const row = await findRequestForUpdate(queries, request.id);
	const found = await openWithOwner(queries, keys, row);
	// Where it has another owner now, the container would be the former one's.
	if (found?.owner.id !== request.owner_id) throw new DeliveryError('ended');
	const today = calendar.format(new Date());
	const refusal = findSenderRefusal(found.request, { address, owner: found.owner, today });
	if (refusal) throw new DeliveryError('ended');
	return found.request;
}

/** @throws DeliveryError where all that was asked for has arrived */
async function countDelivery(queries: Queries, request: FileRequest): Promise<void> {
	if (hasAllDeliveries(request)) throw new DeliveryError('used');
	await updateRequest(queries, request.id, { delivered: request.delivered + 1 });
}

const hasAllDeliveries = ({ delivered, settings }: FileRequest) => delivered >= settings.deliveries;
