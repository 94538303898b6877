import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createMasterKey, openMasterKeys } from '../../src/containers/masterKeys.mts';
import type { Door, Session } from '../../src/open/door.mts';
import { createSession, readSession, startSession } from '../../src/open/signIn/sessions.mts';
import { createFolder } from '../support/service.mts';

const MINUTE = 60_000;

describe('a session', () => {
	const keyFile = join(createFolder(), 'master.key');
	const old = createMasterKey();
	writeFileSync(keyFile, `${old}\n`);
	const door = { vault: { keys: openMasterKeys(keyFile, {}) } } as unknown as Door;
	const id = randomUUID();

	beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick'], now: Date.now() }));
	afterEach(() => void jest.useRealTimers());

	/** @returns the value of its cookie */
	const start = (session: Session) => {
		const setCookie = jest.fn<void, [name: string, value: string]>();
		const reply = { setCookie } as unknown as FastifyReply;
		startSession(door, reply, { ...session, id, path: `/c/${id}` });
		return setCookie.mock.calls[0][1];
	};
	const read = (session: string, of = id) =>
		readSession(door, { cookies: { session } } as unknown as FastifyRequest, of);

	it('ends half an hour after the last page that renewed it', () => {
		const first = createSession('ada@example.com');
		jest.advanceTimersByTime(20 * MINUTE);
		const cookie = start({ ...first, isOpen: true });
		jest.advanceTimersByTime(30 * MINUTE - 1);
		expect(read(cookie)).toMatchObject({ ...first, sessionEnd: Date.now() + 1, isOpen: true });
		jest.advanceTimersByTime(1);
		expect(read(cookie)).toBeUndefined();
	});

	it('is good for one link, and under the current master key alone', () => {
		const cookie = start(createSession('ada@example.com'));
		expect([read(cookie)?.isOpen, read(cookie, randomUUID())]).toEqual([false, undefined]);
		writeFileSync(keyFile, `${createMasterKey()}\n${old}\n`);
		jest.advanceTimersByTime(MINUTE);
		expect(read(cookie)).toBeUndefined();
	});
});
