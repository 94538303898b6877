import { createRequire } from 'node:module';
import { join } from 'node:path';
import { projectRoot } from '../tools/project.cts';

/** Changes the database of a running service, because hundreds of thousands of requests would take too long. */
function change(data: string, work: (database: LibSql) => void): void {
	const LibSql = createRequire(join(projectRoot, 'service', 'package.json'))('libsql');
	const database = new LibSql(join(data, 'service.db')) as LibSql;
	database.prepare('pragma busy_timeout = 10000').all();
	database.exec('begin immediate');
	work(database);
	database.exec('commit');
	database.close();
}

interface LibSql {
	exec(sql: string): void;
	close(): void;
	prepare(sql: string): { run(...values: unknown[]): void; all(): unknown[] };
}

/** The copies have the same recipients. */
const COPY_INDEX = `insert into recipients (container_seq, recipient, owner_id)
	select containers.seq, recipient, recipients.owner_id from containers, recipients where true
	on conflict do nothing`;

/**
 * Adds copies of the only row of a table, which differ in what must be unique.
 * @param data the folder of the service
 */
export const copyRow = (data: string, table: 'containers' | 'events', count: number) =>
	change(data, (database) => {
		const query = `select name from pragma_table_info('${table}') where name <> 'seq'`;
		const names = (database.prepare(query).all() as Array<{ name: string }>).map(
			({ name }) => name,
		);
		const quoted = names.map((name) => `"${name}"`);
		const values = names.map((name) =>
			['id', 'object'].includes(name)
				? `printf('%s%012d', substr(${name}, 1, 24), number)`
				: `"${name}"`,
		);
		const numbers = `(values (1) union all select number + 1 from numbers where number < ${count})`;
		const copies = `select ${values} from numbers, ${table}`;
		const insert = `insert into ${table} (${quoted}) ${copies}`;
		database.prepare(`with recursive numbers(number) as ${numbers} ${insert}`).run();
		if (table === 'containers') database.exec(COPY_INDEX);
	});

/** Replaces all contacts of the user, and deletes all containers. */
export const replaceContacts = (
	data: string,
	userId: string,
	contacts: Array<{ email: string; fields: object }>,
) =>
	change(data, (database) => {
		database.exec('delete from contacts; delete from containers');
		const columns = 'user_id, address, email, fields, created_date, updated_date';
		const insert = database.prepare(`insert into contacts (${columns}) values (?, ?, ?, ?, ?, ?)`);
		const now = new Date().toISOString();
		for (const { email, fields } of contacts) {
			insert.run(userId, email, email, JSON.stringify(fields), now, now);
		}
	});

/** Keeps the containers as they are, so that they can be put back. */
export const saveContainers = (data: string) =>
	change(data, (database) =>
		database.exec(`
			drop table if exists saved; create table saved as select * from containers;
			drop table if exists saved_recipients;
			create table saved_recipients as select * from recipients`),
	);

export const restoreContainers = (data: string) =>
	change(data, (database) =>
		database.exec(`
			delete from containers; insert into containers select * from saved;
			insert into recipients select * from saved_recipients`),
	);

/** How many containers have this text in their rules. */
export function countContainers(data: string, text: string): number {
	let count = 0;
	change(data, (database) => {
		const query = `select id from containers where instr(rules, '${text}') > 0`;
		count = database.prepare(query).all().length;
	});
	return count;
}
