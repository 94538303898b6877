import { createHash } from 'crypto';

/** In place of the content of a record that the first poll could not read. No content looks like it. */
export const NOT_READ = '?';

/**
 * What n8n stores for the trigger: when it activates it and when it emits; with n8n's durable scheduler after each poll.
 * After a restart, only a record that was created since and changed or deleted while n8n was not running is missed.
 */
export interface PollState {
	/** What the last poll saw: contents by key. */
	known: Record<string, string>;
	/** Where the next poll continues: the ID of the last event, or the key of the last container whose rules were read. */
	readUntil?: string;
}

/** 72 bits of a text, as Base64. */
export function hash(text: string): string {
	return createHash('sha256').update(text).digest('base64').slice(0, 12);
}
