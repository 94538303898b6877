import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { dropRest } from '../src/dropRest.mts';
import { describeService } from './support/service.mts';

describeService('the rest of a request that was answered', () => {
	afterEach(() => void jest.useRealTimers());

	it('is read and dropped for 30 seconds, and then cut off', async () => {
		jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
		const request = new IncomingMessage(new Socket());
		dropRest(request);
		for (let second = 0; second < 29; second += 1) {
			request.push(Buffer.alloc(100_000));
			jest.advanceTimersByTime(1000);
			await new Promise((resolve) => void setImmediate(resolve));
			expect([request.readableLength, request.destroyed]).toEqual([0, false]);
		}
		jest.advanceTimersByTime(1000);
		expect(request.destroyed).toBe(true);
	});

	it('cuts off no connection once it has come whole: the next request can be on it', () => {
		jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
		const socket = new Socket();
		const request = new IncomingMessage(socket);
		dropRest(request);
		// As the parser of Node.js says it.
		request.complete = true;
		jest.advanceTimersByTime(31_000);
		expect(socket.destroyed).toBe(false);
	});
});
