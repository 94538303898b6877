import { request } from 'undici';
import { readTrace } from '../src/traceContext.mts';
import { describeService, startService } from './support/service.mts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('the trace of a request', () => {
	const read = { trace_id: TRACE, span_id: SPAN };

	it.each([
		`00-${TRACE}-${SPAN}-01`,
		`00-${TRACE}-${SPAN}-00`,
		`cc-${TRACE}-${SPAN}-01-what-comes`,
	])('is that of %s', (traceparent) => {
		expect(readTrace(traceparent)).toEqual(read);
	});

	it.each([
		undefined,
		'',
		`00-${TRACE}-${SPAN}`,
		`00-${TRACE}-${SPAN}-01-more`,
		`ff-${TRACE}-${SPAN}-01`,
		`00-${'0'.repeat(32)}-${SPAN}-01`,
		`00-${TRACE}-${'0'.repeat(16)}-01`,
		`00-${TRACE.toUpperCase()}-${SPAN}-01`,
		`00-${TRACE}-${SPAN}-01\n{"level":60}`,
		`${TRACE}-${SPAN}`,
		[`00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01`],
	])('is unknown for %j', (traceparent) => {
		expect(readTrace(traceparent)).toEqual({});
	});
});

describeService('the log', () => {
	const ask = async (env: Record<string, string>) => {
		const service = await startService({ env: { LOG_LEVEL: 'info', ...env } });
		const headers = { traceparent: `00-${TRACE}-${SPAN}-01` };
		const { dispatcher } = service.api;
		for (const sent of [headers, {}]) {
			const { body } = await request(`${service.origin}/`, { dispatcher, headers: sent });
			await body.dump();
		}
		await service.stop();
		const lines = service.getOutput().stderr.trim().split('\n');
		return lines.filter((line) => line.includes('request'));
	};

	it('has the trace of a request, and makes up none', async () => {
		const [traced, other] = (await ask({})).map((line) => JSON.parse(line) as object);
		const line = { msg: 'request', method: 'GET', route: '/', status: 200 };
		expect(traced).toMatchObject({ ...line, trace_id: TRACE, span_id: SPAN });
		expect(other).toMatchObject(line);
		expect(other).not.toHaveProperty('trace_id');
	});

	it('is written for people with LOG_FORMAT=text', async () => {
		const [line] = await ask({ LOG_FORMAT: 'text' });
		const start = /^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} [+-]\d{4}\] INFO: request /;
		expect(line).toMatch(start);
		expect(line).toContain('"route":"/"');
		expect(line).toContain(`"trace_id":"${TRACE}"`);
	});
});
