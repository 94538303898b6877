import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '../src/database/sqlite.mts';

describe('a SQLite file', () => {
	const folder = mkdtempSync(join(tmpdir(), 'service-sqlite-'));
	const database = openSqlite(join(folder, 'test.db'));

	beforeAll(() => database.prepare('create table notes (value)').run([]));
	afterAll(() => {
		database.close();
		rmSync(folder, { recursive: true });
	});

	it.each([['text'], [''], [1.5], [0], [null]])('stores %j as it is', (value) => {
		database.prepare('insert into notes values (?)').run([value]);
		expect(database.prepare('select value from notes').all([])).toEqual([{ value }]);
		database.prepare('delete from notes').run([]);
	});

	it.each([[true], [undefined], ['a\0b'], [NaN], [{}], [1n]])(
		'refuses %p, which would end the process or be stored as something else',
		(value) => {
			const statement = database.prepare('insert into notes values (?)');
			expect(() => statement.run([value])).toThrow(TypeError);
			expect(() => statement.all([value])).toThrow(TypeError);
			expect(() => statement.iterate([value])).toThrow(TypeError);
			expect(database.prepare('select value from notes').all([])).toEqual([]);
		},
	);
});
