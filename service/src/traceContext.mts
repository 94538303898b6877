/** Of W3C Trace Context: version, trace, parent, flags. Later versions can have more behind them. */
const TRACEPARENT =
	/^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}(-.*)?$/;

/**
 * What a line of the log says of the trace that a request belongs to, by the names of OpenTelemetry. Where a request names
 * none, or not as the standard wants it, there is none: nobody would look for one that is made up here.
 */
export function readTrace(traceparent: string | string[] | undefined) {
	const [, version, trace_id, span_id, more] = TRACEPARENT.exec(String(traceparent)) ?? [];
	if (trace_id === undefined || (version === '00' && more !== undefined)) return {};
	return { trace_id, span_id };
}
