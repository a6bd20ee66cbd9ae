/** The schema that holds all tables, so that the database may hold other programs' too. */
export const SCHEMA = 'facilitator';
