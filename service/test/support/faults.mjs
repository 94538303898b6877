// Loaded into the service by NODE_OPTIONS. At SIGUSR2, it does what the file FAULTS says: another clock, a full disk, or one with less space,
// that is slow, or that reads nothing, or nothing for two seconds.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { FAULTS } = process.env;
const TheDate = Date;
let faults = {};

process.on('SIGUSR2', () => {
	faults = JSON.parse(fs.readFileSync(FAULTS, 'utf8'));
	fs.rmSync(FAULTS);
	if (faults.isBlocked) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2000);
});

globalThis.Date = class extends TheDate {
	constructor(...values) {
		if (values.length > 0) super(...values);
		else super(Date.now());
	}

	static now() {
		return TheDate.now() + (faults.days ?? 0) * 24 * 60 * 60 * 1000;
	}
};

for (const name of ['write', 'writev']) {
	const original = fs[name];
	fs[name] = (...values) => {
		const full = Object.assign(new Error(`ENOSPC: no space left on device, ${name}`), {
			code: 'ENOSPC',
		});
		if (faults.isDiskFull) values.at(-1)(full);
		else if (faults.isDiskSlow) setTimeout(() => original(...values), 2500);
		else original(...values);
	};
}

for (const name of ['access', 'open']) {
	const original = fs.promises[name];
	fs.promises[name] = async (path, ...values) => {
		if (faults.isDiskBroken)
			throw Object.assign(new Error(`EIO: i/o error, ${name}`), { code: 'EIO' });
		return await original(path, ...values);
	};
}

const { statfs } = fs.promises;
fs.promises.statfs = async (...values) => {
	const found = await statfs(...values);
	if (faults.isDiskFull || faults.isSpaceShort) found.bavail = 0;
	return found;
};
syncBuiltinESMExports();
