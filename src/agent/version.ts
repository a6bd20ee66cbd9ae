/** Names this program: to hosts as a server, and to other MCP servers as a client. */
export const SELF = { name: 'stellar-facilitator-mcp', title: 'Paid resources on Stellar', version: '0.1.0' };
