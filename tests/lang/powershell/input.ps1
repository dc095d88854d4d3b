#Requires -Version 5.1
<#
.SYNOPSIS
Ships a release.
#>
using module Shop.Prices
using namespace System.IO
param(
    [string]$Target = 'dist'
)

Import-Module Pester -MinimumVersion 5.0
. "$PSScriptRoot/lib/common.ps1"

$script:MaxRetries = 3

enum State {
    Open
    Paid
}

# What a shop sells.
class Item {
    [string]$Name
    hidden [int]$Cents = 0

    Item([string]$name) {
        $this.Name = $name
    }

    [int] Price() {
        return $this.Cents
    }

    static [Item] Parse([string]$text) {
        return [Item]::new($text)
    }
}

class Book : Item {
    Book() : base('book') { }
}

<#
.SYNOPSIS
Adds an item to the cart.
#>
function Add-CartItem {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory)]
        [Item]$Item,
        [int]$Count = 1
    )
    Test-Limit -Count $Count
    $cart = Get-Cart | Where-Object { $_.Open }
    $cart.Add($Item)
    Write-Verbose "added"
}

function Test-Limit([int]$Count) {
    if ($Count -gt $script:MaxRetries) { throw 'too many' }
}

filter Select-Open { if ($_.State -eq [State]::Open) { $_ } }

function global:Get-Cart {
    Invoke-RestMethod -Uri 'https://example.org' | ConvertTo-Item
}

workflow Copy-All { Copy-Item a b }

Set-Alias -Name gcart -Value Get-Cart
Export-ModuleMember -Function Add-CartItem
