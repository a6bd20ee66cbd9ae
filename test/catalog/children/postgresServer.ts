// A PostgreSQL server for the tests of one process. Prints its URL, and ends when that process does.
import { openPostgres } from '../../postgres/server.ts';

const server = await openPostgres();
console.log(await server.database());
process.stdin.resume().on('end', () => void server.close());
