"""How a surface grows: expansion policy and the request_toolset tool."""
