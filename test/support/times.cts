/**
 * The times that the nodes wait are so many times as long, until `jest.restoreAllMocks`: where they wait for something that
 * comes, a slow machine has the time for it.
 */
export function stretchTimes(factor: number): void {
	const wait = AbortSignal.timeout.bind(AbortSignal);
	jest
		.spyOn(AbortSignal, 'timeout')
		.mockImplementation((milliseconds) => wait(milliseconds * factor));
}
