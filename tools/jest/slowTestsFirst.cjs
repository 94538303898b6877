const { default: TestSequencer } = require('@jest/test-sequencer');

/** They wait for polls. A suite that starts them last waits for them at its end. */
const slow = ['trigger.test', 'durableScheduler'];

/** Otherwise jest's own order, which in a clean clone is by the size of the files. */
module.exports = class extends TestSequencer {
	sort(tests) {
		const isSlow = ({ path }) => slow.some((name) => path.includes(name));
		const sorted = super.sort(tests);
		return [...sorted.filter(isSlow), ...sorted.filter((test) => !isSlow(test))];
	}
};
