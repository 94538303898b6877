import { lock, unlock } from '../containers/box.mts';
import { deriveKey, type MasterKeys } from '../containers/masterKeys.mts';

/** What a recipient's browser keeps, encrypted. It is good for one container. */
export interface Session {
	/** The address that a code proved, in its normal form. */
	address: string;
	/** Whether the container was opened; otherwise its password is still missing. */
	isOpen: boolean;
	/** The key that the password gives, in Base64. It opens nothing once the container is deleted. */
	passwordKey?: string;
	expires: number;
}

export const SESSION_MS = 30 * 60 * 1000;

/** @returns the value of a cookie */
export function sealSession(keys: MasterKeys, containerId: string, session: Session): string {
	const key = keys.current();
	return `${key.id}.${lock(deriveKey(key, 'session'), JSON.stringify(session), containerId)}`;
}

/** @returns the session; nothing where it has ended, or belongs to another container */
export function openSession(keys: MasterKeys, containerId: string, cookie = '') {
	const [keyId, box = ''] = cookie.split('.');
	const key = keys.find(keyId);
	const text = key && unlock(deriveKey(key, 'session'), box, containerId);
	const session = text === undefined ? undefined : (JSON.parse(text) as Session);
	return session && session.expires > Date.now() ? session : undefined;
}
